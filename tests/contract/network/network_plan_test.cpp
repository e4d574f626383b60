#include "flopcast/contract/network/network_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"
#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {
namespace {

/// Returns the largest number of bytes of intermediates that exist at once in a program, from its text alone.
std::int64_t bytes_in_use(const ContractionTree& tree) {
  std::int64_t most = 0;
  for (const TreeTensor& tensor : tree.tensors) {
    most = std::max(most, tensor.bytes > 0 ? tensor.offset_bytes + tensor.bytes : 0);
  }
  return most;
}

TEST(NetworkPlan, ComputesRandomNetworks) {
  std::mt19937 random(1);
  const CountedCost cost;
  for (int i = 0; i < 400; ++i) {
    const Network network = random_network(random, 1 + i % 6, i % 2 == 0);
    const NetworkData data = random_data(network, random);
    const ContractionTree tree = find_tree(network, cost, without_clock());
    expect_near(execute(tree, data), evaluate_naively(network, data), "network " + std::to_string(i) + "\n" + tree.explain());
  }
}

TEST(NetworkPlan, ComputesRandomNetworksWithAnyLayouts) {
  std::mt19937 random(3);
  const CountedCost cost;
  std::size_t plain = 0;
  for (int i = 0; i < 800; ++i) {
    const Network network = random_network(random, 3 + i % 4, i % 2 == 0);
    const NetworkData data = random_data(network, random);
    const std::vector<ContractionTree> trees = find_trees(network, cost, cost, without_clock());
    for (const ContractionTree& tree : trees) {
      expect_near(execute(tree, data), evaluate_naively(network, data), "network " + std::to_string(i) + "\n" + tree.explain());
    }
    plain += trees.size() - 1;
  }
  EXPECT_GT(plain, 50U);
}

TEST(NetworkPlan, ComputesRandomNetworksInLittleMemory) {
  std::mt19937 random(2);
  const CountedCost cost;
  int with_loops = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    Network network = random_network(random, 2 + i % 5, i % 3 == 0);
    for (auto& [label, extent] : network.extents) {
      extent = extent == 3 ? 5 : extent;
    }
    network.output.strides.clear();
    const NetworkData data = random_data(network, random);
    TreeOptions options = without_clock();
    const ContractionTree free = find_tree(network, cost, options);
    options.room_bytes = 64 * std::ceil(static_cast<double>(free.workspace_bytes) / 64 * (i % 4) / 4);
    try {
      const ContractionTree tree = find_tree(network, cost, options);
      EXPECT_LE(static_cast<double>(tree.workspace_bytes), options.room_bytes) << "network " << i;
      EXPECT_LE(bytes_in_use(tree), tree.workspace_bytes);
      EXPECT_GE(tree.seconds, free.seconds * (1 - 1e-9)) << "network " << i;
      with_loops += tree.loops.empty() ? 0 : 1;
      expect_near(execute(tree, data), evaluate_naively(network, data), "network " + std::to_string(i) + "\n" + tree.explain());
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("allow more bytes"), std::string::npos) << error.what();
      EXPECT_LT(options.room_bytes, 4 * 64) << "a few elements in cache lines of their own are enough\n" << free.explain();
      ++refused;
    }
  }
  EXPECT_GT(with_loops, 20);
  EXPECT_GT(refused, 0) << "even one element needs memory";
}

TEST(NetworkPlan, CutsLabelsOfAChainThatDoesNotFit) {
  // The product of the first two matrices is larger than everything else.
  const Network network = network_of("ai,ib,bac->c", {{'a', 30}, {'b', 40}, {'i', 2}, {'c', 1}});
  std::mt19937 random(3);
  const NetworkData data = random_data(network, random);
  TreeOptions options = without_clock();
  options.room_bytes = 4096;
  const ContractionTree tree = find_tree(network, CountedCost(), options);
  EXPECT_LE(tree.workspace_bytes, 4096);
  expect_near(execute(tree, data), evaluate_naively(network, data), "chain");
}

TEST(NetworkPlan, LeavesProductsThatNeedNoLoopOutsideOfIt) {
  // A large outer product "ab" can't be avoided for a batch of c; "pq,q->p" has nothing to do with it.
  Network network = network_of("ax,xb,abp,pq,qr->r", {{'a', 20}, {'b', 20}, {'x', 20}, {'p', 4}, {'q', 4}, {'r', 4}});
  std::mt19937 random(4);
  const NetworkData data = random_data(network, random);
  TreeOptions options = without_clock();
  options.room_bytes = 2048;
  const ContractionTree tree = find_tree(network, CountedCost(), options);
  expect_near(execute(tree, data), evaluate_naively(network, data), "network");
  ASSERT_FALSE(tree.loops.empty());
  EXPECT_TRUE(std::any_of(tree.steps.begin(), tree.steps.end(), [](const TreeStep& step) { return step.executions == 1; }));
  EXPECT_TRUE(std::any_of(tree.steps.begin(), tree.steps.end(), [](const TreeStep& step) { return step.executions > 1; }));
  EXPECT_EQ(tree.program.size(), tree.steps.size() + 2 * tree.loops.size());
}

TEST(NetworkPlan, ScalesAndAddsToTheOutput) {
  const Network network = network_of("ab,bc,cd->ad");
  std::mt19937 random(5);
  const NetworkData data = random_data(network, random);
  const std::vector<std::complex<double>> product = evaluate_naively(network, data);
  const std::complex<double> alpha(2, 1), beta(-1, 3);
  for (const double room_bytes : {1e9, 64.0}) {
    TreeOptions options = without_clock();
    options.room_bytes = room_bytes;
    const NetworkPlan plan(find_tree(network, CountedCost(), options), naive_steps());
    std::vector<std::complex<double>> output(product.size(), {1, 2}), expected = output;
    plan.execute(data.pointers(), output.data(), alpha, beta);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expected[i] = alpha * product[i] + beta * expected[i];
    }
    expect_near(output, expected, "scaled");
  }
}

TEST(NetworkPlan, ComputesNothingWithoutElements) {
  const Network sum = network_of("ab,bc,cd->ad", {{'b', 0}});
  std::vector<std::complex<double>> output(9, {std::nan(""), 0});
  const NetworkPlan plan(find_tree(sum, CountedCost(), without_clock()), naive_steps());
  const std::vector<const void*> none(3, nullptr);
  plan.execute(none, output.data());
  EXPECT_EQ(output, std::vector<std::complex<double>>(9));
  output.assign(9, 2);
  plan.execute(none, output.data(), 1.0, 3.0);
  EXPECT_EQ(output, std::vector<std::complex<double>>(9, 6));
  const Network empty = network_of("ab,bc,cd->ad", {{'a', 0}});
  NetworkPlan(find_tree(empty, CountedCost(), without_clock()), naive_steps()).execute(none, nullptr);
}

TEST(NetworkPlan, RefusesWrongOperands) {
  const NetworkPlan plan(find_tree(network_of("ab,bc->ac"), CountedCost(), without_clock()), naive_steps());
  std::vector<std::complex<double>> numbers(9);
  const std::vector<const void*> one = {numbers.data()}, null = {numbers.data(), nullptr}, two = {numbers.data(), numbers.data()};
  EXPECT_THROW(plan.execute(one, numbers.data()), Error);
  EXPECT_THROW(plan.execute(null, numbers.data()), Error);
  EXPECT_THROW(plan.execute(two, nullptr), Error);
}

TEST(Network, RefusesContradictions) {
  const auto refused = [](const Network& network, const std::string& text) {
    try {
      find_tree(network, CountedCost(), without_clock());
      ADD_FAILURE() << "not refused: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused(Network(), "at least one operand");
  Network network = network_of("ab,bc->ac");
  network.extents.erase('b');
  refused(network, "has no extent");
  network = network_of("ab,bc->ac", {{'b', -1}});
  refused(network, "0 or more");
  refused(network_of("ab,bc->aa"), "repeated in the output");
  refused(network_of("ab,bc->ax"), "in no operand");
  network = network_of("ab,bc->ac");
  network.operands[1].strides = {1};
  refused(network, "1 strides");
  network = network_of("ab,bc->ac", {{'a', 2}});
  network.operands[0].tensor = network.operands[1].tensor = 4;
  refused(network, "both tensor 4");
  refused(network_of("ab,bc->ac", {}, 1 << 30), "62 bits");
  network = network_of("ab,bc->ac");
  TreeOptions options;
  options.room_bytes = -1;
  EXPECT_THROW(find_tree(network, CountedCost(), options), Error);
  options = TreeOptions();
  options.search.max_exhaustive = 30;
  EXPECT_THROW(find_tree(network, CountedCost(), options), Error);
}

}  // namespace
}  // namespace flopcast::contract
