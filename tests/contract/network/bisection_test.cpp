#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "flopcast/contract/network/join_tree.hpp"
#include "flopcast/contract/network/tree_search.hpp"
#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {
namespace {

/// Returns the terms below the two parts of the last join, which is the first cut.
std::pair<std::vector<int>, std::vector<int>> first_cut(const JoinTree& tree) {
  std::pair<std::vector<int>, std::vector<int>> parts;
  const auto collect = [&](const auto& self, int number, std::vector<int>& to) -> void {
    const JoinTree::JoinNode& node = tree.node(number);
    if (node.is_leaf()) {
      to.push_back(number);
      return;
    }
    self(self, node.left, to);
    self(self, node.right, to);
  };
  collect(collect, tree.node(tree.root()).left, parts.first);
  collect(collect, tree.node(tree.root()).right, parts.second);
  std::sort(parts.first.begin(), parts.first.end());
  std::sort(parts.second.begin(), parts.second.end());
  if (parts.second.front() < parts.first.front()) {
    std::swap(parts.first, parts.second);
  }
  return parts;
}

TEST(Bisection, CutsTheShortLabelBetweenTwoClusters) {
  // {0, 1, 2} share labels of 100, {3, 4, 5} too, and the label x of 2 alone connects the clusters.
  const Network network = network_of("abx,bc,ca,dex,ef,fd->", {{'x', 2}}, 100);
  const Terms terms = terms_of(completed(network));
  const CountedCost cost;
  const StepModel model(terms, cost);
  using Parts = std::pair<std::vector<int>, std::vector<int>>;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    const JoinTree tree(model, order_by_bisection(model, 3, dice));
    EXPECT_EQ(first_cut(tree), (Parts{{0, 1, 2}, {3, 4, 5}})) << seed;
  }
}

TEST(Bisection, FewTermsAreJoinedInTheirFastestOrder) {
  // (AB)C takes 2*100*2 + 2*2*100 products, A(BC) 100*2*100 + 2*100*100.
  const Network network = network_of("ab,bc,cd->ad", {{'a', 2}, {'b', 100}, {'c', 2}, {'d', 100}});
  const Terms terms = terms_of(completed(network));
  const CountedCost cost;
  const StepModel model(terms, cost);
  Dice dice(1);
  const std::vector<Join> joins = order_by_bisection(model, 3, dice);
  ASSERT_EQ(joins.size(), 2U);
  EXPECT_EQ(std::minmax(joins[0].left, joins[0].right), std::minmax(0, 1));
  EXPECT_EQ(std::minmax(joins[1].left, joins[1].right), std::minmax(2, 3));
}

TEST(Bisection, JoinsEveryTermOnce) {
  std::mt19937 random(1);
  const CountedCost cost;
  for (int i = 0; i < 50; ++i) {
    const int operands = 2 + i % 11;
    const Terms terms = terms_of(completed(random_network(random, operands)));
    const StepModel model(terms, cost);
    Dice dice(static_cast<std::uint64_t>(i));
    const std::vector<Join> joins = order_by_bisection(model, 1 + static_cast<std::size_t>(i % 4), dice);
    ASSERT_EQ(joins.size(), static_cast<std::size_t>(operands) - 1);
    std::vector<int> joined;
    for (const Join& join : joins) {
      joined.insert(joined.end(), {join.left, join.right});
    }
    std::sort(joined.begin(), joined.end());
    for (std::size_t k = 0; k < joined.size(); ++k) {
      EXPECT_EQ(joined[k], static_cast<int>(k)) << "all terms and all products but the last";
    }
  }
}

}  // namespace
}  // namespace flopcast::contract
