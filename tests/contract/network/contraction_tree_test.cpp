#include "flopcast/contract/network/contraction_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "flopcast/contract/network/network_plan.hpp"
#include "flopcast/support/run_context.hpp"
#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {
namespace {

TEST(ContractionTree, ReusesTheMemoryOfIntermediates) {
  const Network network = network_of("ab,bc,cd,de,ef,fg,gh->ah", {}, 10);
  const ContractionTree tree = find_tree(network, CountedCost(), without_clock());
  constexpr std::int64_t matrix_bytes = 1600;
  EXPECT_EQ(tree.steps.size(), 6U);
  EXPECT_LE(tree.workspace_bytes, 3 * matrix_bytes) << tree.explain();
}

TEST(ContractionTree, IsNotMadeIfTheSearchIsCancelledTooEarly) {
  const Network network = network_of("ab,bc,cd->ad", {}, 10);
  TreeOptions options = without_clock();
  options.search.cancelled = [] { return true; };
  EXPECT_EQ(find_tree(network, CountedCost(), options).steps.size(), 2U);
  options.room_bytes = 640;
  EXPECT_THROW(find_tree(network, CountedCost(), options), Cancelled);
}

TEST(ContractionTree, TellsItsStepsAsATable) {
  const ContractionTree tree =
      find_tree(network_of("ab,bc,cd->ad", {{'a', 2}, {'b', 50}, {'c', 50}, {'d', 50}}), CountedCost(), without_clock());
  const std::string text = tree.explain();
  EXPECT_NE(text.find("operand1["), std::string::npos) << text;
  EXPECT_NE(text.find("output[ad] := "), std::string::npos) << text;
  EXPECT_NE(text.find("flops"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
  EXPECT_DOUBLE_EQ(tree.flops, 2 * 8 * 2.0 * 50 * 50);
  EXPECT_EQ(tree.path(), (std::vector<std::vector<int>>{{0, 1}, {0, 1}}));
}

}  // namespace
}  // namespace flopcast::contract
