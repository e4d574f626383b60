#include "flopcast/contract/network/tree_search.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/join_tree.hpp"
#include "tests/contract/network/network_cases.hpp"
#include "tests/contract/network/searched_trees.hpp"

namespace flopcast::contract {
namespace {

TEST(TreeSearch, SearchesConnectedSubsetsLikeAllSubsets) {
  std::mt19937 random(10);
  const ProductsOnly cost;  // outer products never pay by products alone in a ring
  for (int i = 0; i < 40; ++i) {
    const Network network = chain(random, 3 + i % 7, true);
    const Terms terms = terms_of(completed(network));
    const StepModel model(terms, cost);
    std::vector<StepTensor> tensors;
    for (const NetworkTerm& term : terms.terms) {
      tensors.push_back({&term.labels, term.fixed_layout()});
    }
    const std::optional<SubNetwork> sub = SubNetwork::make(model, tensors, {&terms.output, nullptr}, true);
    ASSERT_TRUE(sub.has_value());
    SubsetSearchBounds bounds;
    bounds.below = std::numeric_limits<Seconds>::infinity();
    bounds.max_pairs = 1 << 30;
    JoinOrder all, connected, bounded;
    ASSERT_EQ(search_all_subsets(*sub, bounds, all), SearchEnd::found);
    ASSERT_EQ(search_connected_subsets(*sub, bounds, connected), SearchEnd::found);
    EXPECT_DOUBLE_EQ(all.seconds, connected.seconds);
    bounds.below = all.seconds * (1 + 1e-9);
    ASSERT_EQ(search_connected_subsets(*sub, bounds, bounded), SearchEnd::found);
    EXPECT_DOUBLE_EQ(bounded.seconds, all.seconds);
    bounds.below = all.seconds;
    EXPECT_EQ(search_connected_subsets(*sub, bounds, bounded), SearchEnd::nothing);
    EXPECT_EQ(search_all_subsets(*sub, bounds, bounded), SearchEnd::nothing);
    bounds.max_pairs = 2;
    EXPECT_EQ(search_connected_subsets(*sub, bounds, bounded), SearchEnd::gave_up);
  }
}

TEST(TreeSearch, UsesOuterProductsWherePayingForThemPays) {
  // Two short vectors that meet in one large matrix, which should be read once.
  const Network network = network_of("a,b,ab->", {{'a', 100}, {'b', 100}});
  class MatrixIsSlow final : public CountedCost {
   public:
    [[nodiscard]] Seconds seconds(const PairStep& step) const override {
      return step.rows > 1 || step.columns > 1 ? (step.sums > 1 ? 1e9 : 1) : 2;
    }
    [[nodiscard]] Seconds at_least(const PairStep& /*step*/) const override { return 0; }
  };
  const SearchedTree found = searched(network, MatrixIsSlow(), patient());
  EXPECT_DOUBLE_EQ(found.seconds, 3);
  EXPECT_EQ(found.joins.back().left + found.joins.back().right, 2 + 3) << "the outer product of the vectors comes first";
}

}  // namespace
}  // namespace flopcast::contract
