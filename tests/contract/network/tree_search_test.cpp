#include "flopcast/contract/network/tree_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/join_tree.hpp"
#include "tests/contract/network/network_cases.hpp"
#include "tests/contract/network/searched_trees.hpp"

namespace flopcast::contract {
namespace {

/// Returns the least time over all orders of pairwise steps, each tried. Labels that only one operand has are summed over first.
Seconds best_of_all_orders(const Network& network, const StepCost& cost) {
  using Set = std::set<Label>;
  const auto extent = [&](Label label) { return static_cast<double>(network.extents.at(label)); };
  const auto size = [&](const Set& labels) {
    double product = 1;
    for (const Label label : labels) {
      product *= extent(label);
    }
    return product;
  };
  const Set output(network.output.labels.begin(), network.output.labels.end());
  std::vector<Set> operands;
  for (const NetworkTensor& operand : network.operands) {
    operands.emplace_back(operand.labels.begin(), operand.labels.end());
  }
  const auto kept = [&](Set labels, const std::vector<Set>& others) {
    for (auto label = labels.begin(); label != labels.end();) {
      const bool is_needed =
          output.count(*label) > 0 || std::any_of(others.begin(), others.end(), [&](const Set& other) { return other.count(*label) > 0; });
      label = is_needed ? std::next(label) : labels.erase(label);
    }
    return labels;
  };
  Seconds sums = 0;
  std::vector<Set> reduced;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::vector<Set> others = operands;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    reduced.push_back(kept(operands[i], others));
    SumStep step;
    step.kept = size(reduced.back());
    step.summed = size(operands[i]) / step.kept;
    sums += step.summed > 1 ? cost.seconds(step) : 0;
  }
  const std::function<Seconds(const std::vector<Set>&)> best = [&](const std::vector<Set>& tensors) -> Seconds {
    if (tensors.size() == 1) {
      return 0;
    }
    Seconds least = std::numeric_limits<Seconds>::infinity();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      for (std::size_t j = i + 1; j < tensors.size(); ++j) {
        std::vector<Set> rest;
        for (std::size_t k = 0; k < tensors.size(); ++k) {
          if (k != i && k != j) {
            rest.push_back(tensors[k]);
          }
        }
        Set all = tensors[i];
        all.insert(tensors[j].begin(), tensors[j].end());
        const Set product = kept(all, rest);
        PairStep step;
        for (const Label label : all) {
          const bool in_a = tensors[i].count(label) > 0, in_b = tensors[j].count(label) > 0, in_c = product.count(label) > 0;
          (in_a && in_b ? (in_c ? step.batch : step.sums) : in_a ? step.rows : step.columns) *= extent(label);
        }
        rest.push_back(product);
        least = std::min(least, cost.seconds(step) + best(rest));
      }
    }
    return least;
  };
  return sums + best(reduced);
}

TEST(TreeSearch, FindsTheFastestOfAllOrders) {
  std::mt19937 random(7);
  const CountedCost cost;
  for (int i = 0; i < 300; ++i) {
    const Network network = random_network(random, 1 + i % 6);
    const SearchedTree found = searched(network, cost, patient());
    EXPECT_TRUE(found.is_exhaustive);
    EXPECT_NEAR(found.seconds, best_of_all_orders(network, cost), 1e-9 * found.seconds) << "network " << i;
  }
}

/// Large products cost less per product, so that the fastest order isn't that with the fewest flops. The bound is half of the time.
class UnevenCost final : public CountedCost {
 public:
  [[nodiscard]] Seconds seconds(const PairStep& step) const override {
    return std::pow(step.products(), 0.7) + 5 * std::sqrt(step.elements_of_c()) + 2 * step.batch;
  }
  [[nodiscard]] Seconds at_least(const PairStep& step) const override { return 0.5 * std::pow(step.products(), 0.7); }
};

TEST(TreeSearch, TakesTheTimesThatItIsGiven) {
  std::mt19937 random(8);
  const UnevenCost cost;
  for (int i = 0; i < 150; ++i) {
    const Network network = random_network(random, 2 + i % 5);
    const SearchedTree found = searched(network, cost, patient());
    EXPECT_NEAR(found.seconds, best_of_all_orders(network, cost), 1e-9 * found.seconds) << "network " << i;
  }
}

/// The least number of products of a chain by the textbook's recursion over intervals.
double best_chain(const Network& network, int first, int last) {
  if (first == last) {
    return 0;
  }
  const auto extent = [&](int label) { return static_cast<double>(network.extents.at(label)); };
  double best = std::numeric_limits<double>::infinity();
  for (int cut = first; cut < last; ++cut) {
    best = std::min(
        best, best_chain(network, first, cut) + best_chain(network, cut + 1, last) + extent(first) * extent(cut + 1) * extent(last + 1));
  }
  return best;
}

TEST(TreeSearch, MultipliesChainsOfMatricesAsTheTextbookDoes) {
  std::mt19937 random(9);
  const ProductsOnly cost;
  for (const int count : {2, 3, 7, 10, 11, 12}) {
    const Network network = chain(random, count, false);
    const SearchedTree found = searched(network, cost, patient());
    EXPECT_TRUE(found.is_exhaustive) << count;
    EXPECT_DOUBLE_EQ(found.seconds, best_chain(network, 0, count - 1)) << count << " matrices";
  }
}

/// A square grid of tensors with random extents.
Network grid(std::mt19937& random, int side) {
  Network network;
  network.precision = Precision::z;
  Label next = 0;
  network.operands.resize(static_cast<std::size_t>(side * side));
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      for (const auto& [down, right] : {std::pair{0, 1}, {1, 0}}) {
        if (row + down < side && column + right < side) {
          network.extents[next] = 2 + static_cast<int>(random() % 3);
          network.operands[static_cast<std::size_t>(row * side + column)].labels.push_back(next);
          network.operands[static_cast<std::size_t>((row + down) * side + column + right)].labels.push_back(next++);
        }
      }
    }
  }
  return network;
}

TEST(TreeSearch, FindsTreesOfLargeNetworksThatAreNoWorseThanGreedyOnes) {
  std::mt19937 random(11);
  const CountedCost cost;
  for (const int side : {4, 7}) {
    const Network network = grid(random, side);
    const Terms terms = terms_of(completed(network));
    const StepModel model(terms, cost);
    Dice dice(1);
    const JoinTree greedy(model, greedy_order(model, {}, dice));
    TreeSearchOptions options = patient();
    options.max_pairs = 20000;
    const SearchedTree found = search_tree(model, options, [] { return 0.0; });
    EXPECT_EQ(found.joins.size(), terms.size() - 1);
    EXPECT_LT(found.seconds, greedy.seconds());
    options.max_trials = 0;
    options.max_pairs = 0;
    EXPECT_LE(found.seconds, search_tree(model, options, [] { return 0.0; }).seconds);
  }
}

TEST(TreeSearch, RefiningATreeNeverMakesItSlowerAndKeepsItsTimesRight) {
  std::mt19937 random(12);
  const CountedCost cost;
  for (int i = 0; i < 30; ++i) {
    const Network network = random_network(random, 3 + i % 12);
    const Terms terms = terms_of(completed(network));
    const StepModel model(terms, cost);
    Dice dice(static_cast<std::uint64_t>(i));
    GreedyOptions options;
    options.temperature = 5;
    for (const std::vector<Join>& joins : {greedy_order(model, options, dice), order_by_bisection(model, 4, dice)}) {
      JoinTree tree(model, joins);
      const Seconds before = tree.seconds();
      refine(tree, i % 2 == 0 ? Refinement{5, 0} : Refinement{9, 1000}, [] { return false; });
      EXPECT_LE(tree.seconds(), before);
      EXPECT_NEAR(JoinTree(model, tree.joins()).seconds(), tree.seconds(), 1e-9 * before) << "network " << i;
    }
  }
}

TEST(TreeSearch, IsTheSameForASeed) {
  std::mt19937 random(13);
  const Network network = grid(random, 6);
  TreeSearchOptions options = patient();
  options.max_pairs = 1000;
  options.max_trials = 12;
  const SearchedTree once = searched(network, CountedCost(), options), again = searched(network, CountedCost(), options);
  EXPECT_EQ(once.joins, again.joins);
  EXPECT_EQ(once.trials, 12);
  options.max_trials = 40;
  EXPECT_LE(searched(network, CountedCost(), options).seconds, once.seconds) << "more trials begin with the same ones";
}

TEST(TreeSearch, EndsWithTheBestKnownTreeOnceItIsCancelledOrLate) {
  std::mt19937 random(14);
  const Network network = grid(random, 8);
  TreeSearchOptions options = patient();
  int polls = 0;
  options.cancelled = [&] { return ++polls > 5; };
  const SearchedTree cancelled = searched(network, CountedCost(), options);
  EXPECT_EQ(cancelled.joins.size(), network.operands.size() - 1);
  EXPECT_FALSE(cancelled.is_exhaustive);
  EXPECT_EQ(cancelled.trials, 0);
  TreeSearchOptions hurried;
  hurried.time_budget = 0.5;
  const Terms terms = terms_of(completed(network));
  const CountedCost cost;
  Seconds now = 0;
  const SearchedTree late = search_tree(StepModel(terms, cost), hurried, [&] { return now += 0.01; });
  EXPECT_EQ(late.joins.size(), network.operands.size() - 1);
  EXPECT_LT(now, 1);
}

TEST(TreeSearch, JoinsDisconnectedParts) {
  std::mt19937 random(15);
  Network network = chain(random, 8, true);
  const Network other = chain(random, 7, true);
  for (const NetworkTensor& operand : other.operands) {
    network.operands.push_back(operand);
    for (Label& label : network.operands.back().labels) {
      network.extents[label + 100] = other.extents.at(label);
      label += 100;
    }
  }
  const ProductsOnly cost;
  const SearchedTree found = searched(network, cost, patient());
  EXPECT_TRUE(found.is_exhaustive);
  TreeSearchOptions all = patient();
  const Network first = chain(random, 8, true);
  EXPECT_EQ(found.joins.size(), 14U);
  all.max_exhaustive = 15;
  EXPECT_NEAR(found.seconds, searched(network, cost, all).seconds, 1e-9 * found.seconds);
}

TEST(TreeSearch, MakesEqualProductsOnce) {
  const auto power = [](int count, bool are_equal) {
    Network network;
    network.precision = Precision::z;
    for (Label i = 0; i < count; ++i) {
      network.operands.push_back({{i, i + 1}});
      network.operands.back().tensor = are_equal ? 0 : -1;
      network.extents[i] = network.extents[i + 1] = 10;
    }
    network.output.labels = {0, count};
    return network;
  };
  const ProductsOnly cost;
  EXPECT_DOUBLE_EQ(searched(power(8, false), cost, patient()).seconds, 7 * 1000);
  EXPECT_DOUBLE_EQ(searched(power(8, true), cost, patient()).seconds, 3 * 1000) << "squares of squares";
  EXPECT_DOUBLE_EQ(searched(power(6, true), cost, patient()).seconds, 3 * 1000);
  TreeSearchOptions without = patient();
  without.share_products = false;
  EXPECT_GE(searched(power(8, true), cost, without).seconds, 3 * 1000);
}

TEST(TreeSearch, NeverLosesBySharingProducts) {
  std::mt19937 random(16);
  const CountedCost cost;
  int gains = 0;
  for (int i = 0; i < 200; ++i) {
    const Network network = random_network(random, 2 + i % 5, true);
    TreeSearchOptions without = patient();
    without.share_products = false;
    Network distinct = network;
    for (NetworkTensor& operand : distinct.operands) {
      operand.tensor = -1;
    }
    const Seconds shared = searched(network, cost, patient()).seconds, alone = searched(distinct, cost, without).seconds;
    EXPECT_LE(shared, alone * (1 + 1e-12)) << "network " << i;
    gains += shared < alone * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_GT(gains, 10);
}

}  // namespace
}  // namespace flopcast::contract
