#include "flopcast/contract/network/shared_products.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace flopcast::contract {
namespace {

/// Characteristics that equal products have in common: numbers of the parts' classes, and which of their labels are equal.
using Pattern = std::vector<std::int64_t>;

/// A product, or an operand, with its class. Equal classes are equal up to the names of labels.
struct SharedProduct {
  int number = 0;  ///< number of the class
  Labels order;    ///< labels in the order of the class
};

/// Numbers labels by their first appearance.
class Appearance {
 public:
  std::int64_t operator()(int label) {
    const auto found = std::find(seen_.begin(), seen_.end(), label);
    if (found == seen_.end()) {
      seen_.push_back(label);
      return static_cast<std::int64_t>(seen_.size()) - 1;
    }
    return found - seen_.begin();
  }
  [[nodiscard]] const Labels& seen() const { return seen_; }

 private:
  Labels seen_;
};

class Classes {
 public:
  explicit Classes(const StepModel& model) : model_(model) {}

  SharedProduct of(const NetworkTerm& term) {
    const auto is_cut = [&](int label) { return model_.is_cut(label); };
    if (term.tensor < 0 || std::any_of(term.labels.begin(), term.labels.end(), is_cut)) {
      return {next_++, term.labels};
    }
    Pattern pattern = {-1, term.tensor};
    SharedProduct product;
    Appearance appearance;
    for (const LabelAxis& axis : term.layout.axes) {
      const bool is_kept = has_label(term.labels, axis.label);
      pattern.insert(pattern.end(), {appearance(axis.label), axis.stride, is_kept ? 1 : 0});
      if (is_kept) {
        product.order.push_back(axis.label);
      }
    }
    product.number = number_of(pattern);
    return product;
  }

  SharedProduct of(const SharedProduct& x, const SharedProduct& y, const Labels& kept) {
    auto [pattern, order] = x.number <= y.number ? pattern_of(x, y, kept) : pattern_of(y, x, kept);
    if (x.number == y.number) {
      auto [other_pattern, other_order] = pattern_of(y, x, kept);
      if (other_pattern < pattern) {
        pattern = std::move(other_pattern);
        order = std::move(other_order);
      }
    }
    return {number_of(pattern), std::move(order)};
  }

 private:
  static std::pair<Pattern, Labels> pattern_of(const SharedProduct& x, const SharedProduct& y, const Labels& kept) {
    Pattern pattern = {x.number, y.number};
    Appearance appearance;
    for (const SharedProduct* part : {&x, &y}) {
      for (const int label : part->order) {
        pattern.push_back(appearance(label));
      }
    }
    Labels order;
    for (const int label : appearance.seen()) {
      const bool is_kept = has_label(kept, label);
      pattern.push_back(is_kept ? 1 : 0);
      if (is_kept) {
        order.push_back(label);
      }
    }
    return {std::move(pattern), std::move(order)};
  }

  int number_of(const Pattern& pattern) {
    const auto [found, is_new] = numbers_.emplace(pattern, next_);
    next_ += is_new ? 1 : 0;
    return found->second;
  }

  const StepModel& model_;
  std::map<Pattern, int> numbers_;
  int next_ = 0;
};

}  // namespace

SharedProducts find_shared_products(const JoinTree& tree, const StepModel& model) {
  const std::size_t count = tree.nodes().size();
  SharedProducts result;
  result.first.resize(count);
  result.orders.resize(count);
  Classes classes(model);
  std::vector<SharedProduct> products(count);
  std::map<int, int> first;  // by class
  const auto visit = [&](const auto& self, int number) -> void {
    const auto i = static_cast<std::size_t>(number);
    const JoinTree::JoinNode& node = tree.node(number);
    if (node.is_leaf()) {
      products[i] = classes.of(model.terms().terms[i]);
    } else {
      self(self, node.left);
      self(self, node.right);
      products[i] = classes.of(products[static_cast<std::size_t>(node.left)], products[static_cast<std::size_t>(node.right)], node.labels);
    }
    result.first[i] = first.emplace(products[i].number, number).first->second;
    result.orders[i] = products[i].order;
  };
  visit(visit, tree.root());
  return result;
}

Seconds seconds_with_shared_products(const JoinTree& tree) {
  const SharedProducts shared = find_shared_products(tree, tree.model());
  Seconds seconds = 0;
  for (std::size_t i = 0; i < shared.first.size(); ++i) {
    seconds += shared.first[i] == static_cast<int>(i) ? tree.nodes()[i].own : 0;
  }
  return seconds;
}

std::vector<SharedPairs> find_shared_pairs(const StepModel& model) {
  const std::vector<NetworkTerm>& terms = model.terms().terms;
  Classes classes(model);
  std::vector<SharedProduct> products;
  std::map<int, int> uses;
  for (const NetworkTerm& term : terms) {
    products.push_back(classes.of(term));
    ++uses[products.back().number];
  }
  std::map<int, SharedPairs> by_class;
  std::map<int, std::vector<bool>> taken;  // by class, then by term
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      if (uses[products[i].number] < 2 || uses[products[j].number] < 2 || !share_labels(terms[i].labels, terms[j].labels)) {
        continue;
      }
      const Labels kept = labels_of_product(model.terms(), {static_cast<int>(i), static_cast<int>(j)});
      const SharedProduct product = classes.of(products[i], products[j], kept);
      std::vector<bool>& is_taken = taken.emplace(product.number, terms.size()).first->second;
      if (!is_taken[i] && !is_taken[j]) {
        is_taken[i] = is_taken[j] = true;
        by_class[product.number].pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
        by_class[product.number].orders.push_back(product.order);
      }
    }
  }
  std::vector<SharedPairs> all;
  for (auto& [number, group] : by_class) {
    if (group.pairs.size() > 1) {
      all.push_back(std::move(group));
    }
  }
  return all;
}

}  // namespace flopcast::contract
