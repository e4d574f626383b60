#include "flopcast/contract/network/tree_search.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "flopcast/contract/network/join_tree.hpp"
#include "flopcast/contract/network/shared_products.hpp"

namespace flopcast::contract {
namespace {

constexpr std::size_t max_of_connected_search = 64;

class TreeSearch {
 public:
  TreeSearch(const TreeSearchOptions& options, const std::function<Seconds()>& elapsed) : options_(options), elapsed_(elapsed) {}

  SearchedTree run(const StepModel& model) { return options_.share_products ? with_shared_pairs(model, 0) : tree_of(model); }

 private:
  [[nodiscard]] bool stops(Seconds of_best) const {
    const Seconds enough = std::min(options_.time_budget, std::max(options_.min_time, options_.budget_share * of_best));
    return options_.cancelled() || elapsed_() >= enough;
  }

  /// Returns the groups of terms that labels connect.
  static std::vector<std::vector<int>> connected_groups(const Terms& terms) {
    std::vector<std::size_t> group(terms.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
      while (group[i] != i) {
        i = group[i] = group[group[i]];
      }
      return i;
    };
    std::map<int, std::size_t> first_user;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const int label : terms.terms[i].labels) {
        group[root(i)] = root(first_user.emplace(label, i).first->second);
      }
    }
    std::map<std::size_t, std::vector<int>> by_root;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      by_root[root(i)].push_back(static_cast<int>(i));
    }
    std::vector<std::vector<int>> groups;
    for (auto& [number, members] : by_root) {
      groups.push_back(std::move(members));
    }
    std::sort(groups.begin(), groups.end());
    return groups;
  }

  SearchedTree tree_of(const StepModel& model) {
    if (model.terms().size() <= options_.max_exhaustive) {
      return exhaustive(model);
    }
    const std::vector<std::vector<int>> groups = connected_groups(model.terms());
    return groups.size() > 1 ? of_groups(model, groups) : connected(model);
  }

  /// Returns a tree for terms some of which were joined already. `groups[i]` are the terms of the quotient's term i, joined by `joins_of`.
  static std::vector<Join> expanded(const std::vector<Join>& joins, const std::vector<std::vector<int>>& groups,
                                    const std::vector<std::vector<Join>>& joins_of, std::size_t terms) {
    std::vector<Join> all;
    const auto add = [&](int left, int right) {
      all.push_back({left, right});
      return static_cast<int>(terms + all.size() - 1);
    };
    std::vector<int> products;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      std::vector<int> numbers = groups[i];
      for (const Join& join : joins_of[i]) {
        numbers.push_back(add(numbers[static_cast<std::size_t>(join.left)], numbers[static_cast<std::size_t>(join.right)]));
      }
      products.push_back(numbers.back());
    }
    for (const Join& join : joins) {
      products.push_back(add(products[static_cast<std::size_t>(join.left)], products[static_cast<std::size_t>(join.right)]));
    }
    return all;
  }

  /// Returns `model`'s terms with each group multiplied. Groups of one term stay as they are.
  static Terms quotient_of(const Terms& terms, const std::vector<std::vector<int>>& groups) {
    Terms quotient{terms.precision, terms.names, terms.extents, {}, terms.output, terms.output_layout, terms.is_part};
    for (const std::vector<int>& group : groups) {
      if (group.size() == 1) {
        quotient.terms.push_back(terms.terms[static_cast<std::size_t>(group.front())]);
      } else {
        const Labels labels = labels_of_product(terms, group);
        quotient.terms.push_back({labels, {}, {}, -1, true});
      }
    }
    return quotient;
  }

  SearchedTree of_groups(const StepModel& model, const std::vector<std::vector<int>>& groups) {
    SearchedTree result;
    result.is_exhaustive = true;
    std::vector<std::vector<Join>> joins_of;
    for (const std::vector<int>& group : groups) {
      const Terms part = part_of(model.terms(), group);
      SearchedTree of_group = group.size() == 1 ? SearchedTree{{}, 0, true, 0} : tree_of(StepModel(part, model));
      joins_of.push_back(std::move(of_group.joins));
      result.is_exhaustive = result.is_exhaustive && of_group.is_exhaustive;
      result.trials += of_group.trials;
    }
    const Terms products = quotient_of(model.terms(), groups);
    const StepModel of_products(products, model);
    std::vector<Join> joins;
    if (groups.size() <= options_.max_exhaustive) {
      joins = exhaustive(of_products).joins;
    } else {
      Dice dice(options_.seed);
      joins = greedy_order(of_products, {}, dice);
    }
    JoinTree tree(model, expanded(joins, groups, joins_of, model.terms().size()));
    refine(tree, quick, [&] { return stops(tree.seconds()); });
    return finished(tree, result);
  }

  static SearchedTree finished(const JoinTree& tree, SearchedTree result) {
    result.joins = tree.joins();
    result.seconds = seconds_with_shared_products(tree);
    return result;
  }

  SearchedTree exhaustive(const StepModel& model) {
    const Terms& terms = model.terms();
    SearchedTree result;
    result.is_exhaustive = true;
    if (terms.size() == 1) {
      result.seconds = model.seconds_of_sum(terms.terms.front());
      return result;
    }
    Dice dice(options_.seed);
    JoinTree tree(model, greedy_order(model, {}, dice));
    const std::optional<SubNetwork> sub = sub_network(model);
    result.is_exhaustive = sub.has_value();
    if (sub) {
      SubsetSearchBounds bounds;
      bounds.below = steps_of(tree);
      bounds.max_pairs = std::numeric_limits<std::int64_t>::max();
      bounds.stops = options_.cancelled;
      JoinOrder order;
      const SearchEnd end = search_all_subsets(*sub, bounds, order);
      result.is_exhaustive = end != SearchEnd::gave_up;
      if (end == SearchEnd::found) {
        tree = JoinTree(model, order.joins);
      }
    }
    return finished(tree, result);
  }

  static std::optional<SubNetwork> sub_network(const StepModel& model) {
    std::vector<StepTensor> tensors;
    for (const NetworkTerm& term : model.terms().terms) {
      tensors.push_back({&term.labels, term.fixed_layout()});
    }
    return SubNetwork::make(model, tensors, {&model.terms().output, model.terms().fixed_output_layout()}, !model.terms().is_part);
  }

  /// Returns the time of a tree's pairwise steps.
  static Seconds steps_of(const JoinTree& tree) {
    Seconds seconds = tree.seconds();
    for (std::size_t i = 0; i < tree.terms(); ++i) {
      seconds -= tree.nodes()[i].own;
    }
    return seconds;
  }

  SearchedTree connected(const StepModel& model) {
    SearchedTree result;
    Dice dice(options_.seed);
    JoinTree best(model, greedy_order(model, {}, dice));
    const auto stops_at_best = [&] { return stops(best.seconds()); };
    refine(best, quick, stops_at_best);
    if (model.terms().size() <= max_of_connected_search && search_connected(model, best)) {
      result.is_exhaustive = true;
      refine(best, quick, stops_at_best);  // with outer products
      return finished(best, result);
    }
    refine(best, deep, stops_at_best);
    for (std::int64_t trial = 0; trial < options_.max_trials && !stops_at_best(); ++trial) {
      JoinTree tree(model, random_order(model, trial, dice));
      ++result.trials;
      if (tree.seconds() > hopeless * best.seconds()) {
        continue;
      }
      refine(tree, quick, stops_at_best);
      if (tree.seconds() < promising * best.seconds()) {
        refine(tree, deep, stops_at_best);
      }
      if (tree.seconds() < best.seconds()) {
        best = std::move(tree);
      }
    }
    return finished(best, result);
  }

  /// Replaces `best` by the fastest tree without outer products, if it is faster. Returns false if the search gave up.
  bool search_connected(const StepModel& model, JoinTree& best) {
    const std::optional<SubNetwork> sub = sub_network(model);
    if (!sub) {
      return false;
    }
    SubsetSearchBounds bounds;
    bounds.below = steps_of(best);
    bounds.max_pairs = options_.max_pairs;
    bounds.stops = [&] { return stops(best.seconds()); };
    JoinOrder order;
    const SearchEnd end = search_connected_subsets(*sub, bounds, order);
    if (end == SearchEnd::found) {
      best = JoinTree(model, order.joins);
    }
    return end != SearchEnd::gave_up;
  }

  static std::vector<Join> random_order(const StepModel& model, std::int64_t trial, Dice& dice) {
    constexpr std::int64_t kinds = 3;
    constexpr double hottest = 4;
    GreedyOptions greedy;
    greedy.temperature = hottest * dice.fraction() * dice.fraction();
    greedy.weight_of_parts = dice.fraction();
    greedy.by_time = trial % kinds == 2;
    return trial % kinds == 0 ? order_by_bisection(model, parts_of_bisection, dice) : greedy_order(model, greedy, dice);
  }

  /// Searches, and then tries for groups of equal pairs whether making their product once pays. Equal products are terms of a smaller
  /// network then, in which further pairs may be equal.
  SearchedTree with_shared_pairs(const StepModel& model, int depth) {
    constexpr int max_depth = 3;
    constexpr std::size_t max_groups = 3;
    SearchedTree best = tree_of(model);
    if (depth == max_depth) {
      return best;
    }
    std::vector<SharedPairs> groups = find_shared_pairs(model);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const SharedPairs& x, const SharedPairs& y) { return x.pairs.size() > y.pairs.size(); });
    groups.resize(std::min(groups.size(), max_groups));
    for (const SharedPairs& group : groups) {
      if (stops(best.seconds)) {
        break;
      }
      SearchedTree tree = with_pairs_made(model, group, depth);
      if (tree.seconds < best.seconds) {
        tree.is_exhaustive = best.is_exhaustive;
        best = std::move(tree);
      }
    }
    return best;
  }

  SearchedTree with_pairs_made(const StepModel& model, const SharedPairs& shared, int depth) {
    const Terms& terms = model.terms();
    std::vector<std::vector<int>> groups;
    std::vector<std::vector<Join>> joins_of;
    std::vector<bool> is_taken(terms.size(), false);
    for (const Join& pair : shared.pairs) {
      groups.push_back({pair.left, pair.right});
      joins_of.push_back({{0, 1}});
      is_taken[static_cast<std::size_t>(pair.left)] = is_taken[static_cast<std::size_t>(pair.right)] = true;
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!is_taken[i]) {
        groups.push_back({static_cast<int>(i)});
        joins_of.emplace_back();
      }
    }
    Terms quotient = quotient_of(terms, groups);
    int tensor = 0;
    for (const NetworkTerm& term : terms.terms) {
      tensor = std::max(tensor, term.tensor + 1);
    }
    for (std::size_t i = 0; i < shared.pairs.size(); ++i) {
      quotient.terms[i].tensor = tensor;
      for (const int label : shared.orders[i]) {
        quotient.terms[i].layout.axes.push_back({label, 0});
      }
    }
    SearchedTree result = with_shared_pairs(StepModel(quotient, model), depth + 1);
    const JoinTree tree(model, expanded(result.joins, groups, joins_of, terms.size()));
    return finished(tree, result);
  }

  static constexpr Refinement quick = {7, 0}, deep = {16, 20'000};
  static constexpr std::size_t parts_of_bisection = 6;
  static constexpr double hopeless = 100, promising = 1.1;

  const TreeSearchOptions& options_;
  const std::function<Seconds()>& elapsed_;
};

}  // namespace

SearchedTree search_tree(const StepModel& model, const TreeSearchOptions& options, const std::function<Seconds()>& elapsed) {
  return TreeSearch(options, elapsed).run(model);
}

}  // namespace flopcast::contract
