#include "flopcast/contract/network/join_tree.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace flopcast::contract {

std::vector<Labels> labels_of_joins(std::span<const Labels* const> tensors, const Labels& output, std::span<const Join> joins) {
  std::map<int, int> users;  // by label: tensors that have it and aren't multiplied yet, and the output
  const auto use = [&](const Labels& labels) {
    for (const int label : labels) {
      ++users[label];
    }
  };
  use(output);
  std::for_each(tensors.begin(), tensors.end(), [&](const Labels* labels) { use(*labels); });
  std::vector<Labels> results;
  results.reserve(joins.size());
  const auto labels_of = [&](int number) -> const Labels& {
    const auto i = static_cast<std::size_t>(number);
    return i < tensors.size() ? *tensors[i] : results[i - tensors.size()];
  };
  for (const Join& join : joins) {
    const Labels &left = labels_of(join.left), &right = labels_of(join.right);
    for (const int label : both(left, right)) {
      --users[label];
    }
    Labels kept = either(left, right);
    std::erase_if(kept, [&](int label) { return users[label] == 1; });
    results.push_back(std::move(kept));
  }
  return results;
}

JoinTree::JoinTree(const StepModel& model, std::span<const Join> joins) : model_(&model) {
  const std::vector<NetworkTerm>& terms = model.terms().terms;
  std::vector<const Labels*> tensors;
  for (const NetworkTerm& term : terms) {
    nodes_.push_back({-1, -1, -1, term.labels, model.seconds_of_sum(term), 0});
    nodes_.back().below = nodes_.back().own;
    tensors.push_back(&term.labels);
  }
  std::vector<Labels> labels = labels_of_joins(tensors, model.terms().output, joins);
  for (Labels& of_join : labels) {
    nodes_.push_back({-1, -1, -1, std::move(of_join), 0, 0});
  }
  root_ = static_cast<int>(nodes_.size()) - 1;
  for (std::size_t i = 0; i < joins.size(); ++i) {
    set_children(static_cast<int>(terms.size() + i), joins[i].left, joins[i].right);
  }
}

void JoinTree::set_children(int number, int left, int right) {
  at(number).left = left;
  at(number).right = right;
  at(left).parent = at(right).parent = number;
  update_own(number);
  update_below(number);
}

StepTensor JoinTree::tensor(int number) const {
  const JoinNode& of_number = node(number);
  if (!of_number.is_leaf()) {
    return {&of_number.labels, number == root_ ? model_->terms().fixed_output_layout() : nullptr};
  }
  return {&of_number.labels, model_->terms().terms[static_cast<std::size_t>(number)].fixed_layout()};
}

void JoinTree::update_own(int number) {
  JoinNode& result = at(number);
  result.own = model_->seconds(tensor(result.left), tensor(result.right), tensor(number), is_output(number));
}

void JoinTree::update_below(int number) {
  JoinNode& result = at(number);
  result.below = result.own + node(result.left).below + node(result.right).below;
}

std::vector<Join> JoinTree::joins() const {
  std::vector<Join> all;
  std::vector<int> number(nodes_.size());
  const auto visit = [&](const auto& self, int at) -> int {
    const JoinNode& here = node(at);
    if (here.is_leaf()) {
      return at;
    }
    const int left = self(self, here.left), right = self(self, here.right);
    all.push_back({left, right});
    return static_cast<int>(terms() + all.size() - 1);
  };
  visit(visit, root_);
  return all;
}

void JoinTree::replace(int top, std::span<const int> frontier, std::span<const Join> joins) {
  const auto is_frontier = [&](int number) { return std::find(frontier.begin(), frontier.end(), number) != frontier.end(); };
  std::vector<int> inner;  // nodes between, the top last
  const auto collect = [&](const auto& self, int number) -> void {
    if (!is_frontier(number)) {
      self(self, node(number).left);
      self(self, node(number).right);
      inner.push_back(number);
    }
  };
  collect(collect, top);
  std::vector<const Labels*> tensors;
  for (const int number : frontier) {
    tensors.push_back(&node(number).labels);
  }
  std::vector<Labels> labels = labels_of_joins(tensors, node(top).labels, joins);
  const auto number_of = [&](int tensor) {
    const auto i = static_cast<std::size_t>(tensor);
    return i < frontier.size() ? frontier[i] : inner[i - frontier.size()];
  };
  for (std::size_t i = 0; i < joins.size(); ++i) {
    at(inner[i]).labels = std::move(labels[i]);
    set_children(inner[i], number_of(joins[i].left), number_of(joins[i].right));
  }
  for (int number = node(top).parent; number >= 0; number = node(number).parent) {
    update_below(number);
  }
}

namespace {

/// Returns up to `count` nodes below `top` whose product is `top`. Nodes with the slowest steps below them are replaced by their parts
/// first.
std::vector<int> frontier_of(const JoinTree& tree, int top, std::size_t count) {
  std::vector<int> frontier = {tree.node(top).left, tree.node(top).right};
  while (frontier.size() < count) {
    const auto slowest = std::max_element(frontier.begin(), frontier.end(), [&](int x, int y) {
      const auto weight = [&](int number) { return tree.node(number).is_leaf() ? -1 : tree.node(number).below; };
      return weight(x) < weight(y);
    });
    const JoinTree::JoinNode& node = tree.node(*slowest);
    if (node.is_leaf()) {
      break;
    }
    *slowest = node.left;
    frontier.push_back(node.right);
  }
  return frontier;
}

/// Returns whether the steps above the nearest tensors below `top` could be replaced by faster ones.
bool improve(JoinTree& tree, int top, const Refinement& how) {
  constexpr double clearly = 1 - 1e-9;  // differences of rounding are no improvement
  const std::vector<int> frontier = frontier_of(tree, top, how.max_tensors);
  if (frontier.size() < 3) {
    return false;
  }
  Seconds now = tree.node(top).below;
  std::vector<StepTensor> tensors;
  for (const int number : frontier) {
    now -= tree.node(number).below;
    tensors.push_back(tree.tensor(number));
  }
  const std::optional<SubNetwork> sub = SubNetwork::make(tree.model(), tensors, tree.tensor(top), tree.is_output(top));
  JoinOrder order;
  SubsetSearchBounds bounds;
  bounds.below = now * clearly;
  bounds.max_pairs = how.max_pairs > 0 ? how.max_pairs : std::numeric_limits<std::int64_t>::max();
  const auto search = how.max_pairs > 0 ? search_connected_subsets : search_all_subsets;
  if (!sub || search(*sub, bounds, order) != SearchEnd::found) {
    return false;
  }
  tree.replace(top, frontier, order.joins);
  return true;
}

}  // namespace

void refine(JoinTree& tree, const Refinement& how, const std::function<bool()>& stops) {
  constexpr int max_sweeps = 20;
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool improved = false;
    std::vector<int> inner;
    for (std::size_t i = tree.terms(); i < tree.nodes().size(); ++i) {
      inner.push_back(static_cast<int>(i));
    }
    std::stable_sort(inner.begin(), inner.end(), [&](int x, int y) { return tree.node(x).own > tree.node(y).own; });
    for (const int top : inner) {
      if (stops()) {
        return;
      }
      improved = improve(tree, top, how) || improved;
    }
    if (!improved) {
      return;
    }
  }
}

}  // namespace flopcast::contract
