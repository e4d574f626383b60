#include "flopcast/contract/network/step_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "tests/contract/network/network_cases.hpp"

namespace flopcast::contract {
namespace {

using testing::ElementsAre;

/// The list of steps of a tree.
struct Listed {
  Listed(const Network& network, const std::vector<Join>& joins)
      : terms(terms_of(completed(network))),
        model(terms, cost),
        tree(model, joins),
        list(list_steps(tree, model, make_schedule(tree, model))) {}

  CountedCost cost;
  Terms terms;
  StepModel model;
  JoinTree tree;
  StepList list;
};

/// Labels a to e are numbered from 0.
Network four_matrices() { return network_of("ab,bc,cd,de->ae", {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 5}, {'e', 6}}); }

TEST(StepLists, OperandsComeFirstThenResultsInTheOrderOfSteps) {
  const Listed of(four_matrices(), {{0, 1}, {2, 3}, {4, 5}});
  ASSERT_EQ(of.list.tensors.size(), 7U);
  ASSERT_EQ(of.list.steps.size(), 3U);
  const ListedStep& last = of.list.steps[2];
  EXPECT_EQ(of.list.steps[0].result, 4);
  EXPECT_EQ(of.list.steps[1].result, 5);
  EXPECT_EQ(last.result, 6);
  EXPECT_EQ(last.a.tensor + last.b.tensor, 9) << "the results of both steps before";
  for (std::size_t tensor = 0; tensor < of.list.tensors.size(); ++tensor) {
    EXPECT_EQ(of.list.tensors[tensor].is_fixed, tensor != 4 && tensor != 5) << tensor;
  }
  EXPECT_THAT(labels_of_result(of.list, of.list.steps[0]), ElementsAre(0, 2));
  EXPECT_THAT(labels_of_result(of.list, of.list.steps[1]), ElementsAre(2, 4));
  EXPECT_THAT(labels_of_result(of.list, last), ElementsAre(0, 4));
}

TEST(StepLists, TimesAreThoseOfTheSteps) {
  const Listed of(four_matrices(), {{0, 1}, {2, 3}, {4, 5}});
  EXPECT_DOUBLE_EQ(seconds_of(of.list, of.list.steps[0], of.model), 2 * 3 * 4 + 0.1 * (6 + 12 + 8));
  EXPECT_DOUBLE_EQ(seconds_of(of.list, of.list.steps[1], of.model), 4 * 5 * 6 + 0.1 * (20 + 30 + 24));
  EXPECT_DOUBLE_EQ(seconds_of(of.list, of.list.steps[2], of.model), 2 * 4 * 6 + 0.1 * (8 + 24 + 12));
}

TEST(StepLists, EqualProductsAreOneTensorUsedByDifferentLabels) {
  Network network = network_of("ab,bc,cd,de->ae", {}, 4);
  for (NetworkTensor& operand : network.operands) {
    operand.tensor = 0;  // A A A A: both halves are one product
  }
  const Listed of(network, {{0, 1}, {2, 3}, {4, 5}});
  ASSERT_EQ(of.list.steps.size(), 2U);
  const ListedStep& last = of.list.steps[1];
  EXPECT_EQ(last.a.tensor, last.b.tensor);
  EXPECT_NE(last.a.labels, last.b.labels);
}

TEST(StepLists, PlainLayoutsPutTheLargerOperandsLabelsOutside) {
  // the product bce of A = bc (12 elements, b outside) and B = ce (24 elements): B's label e has the larger strides, or with `turned` the smaller
  const auto strides = [](bool turned) {
    Listed of(network_of("bc,ce,ef->bf", {{'b', 3}, {'c', 4}, {'e', 6}, {'f', 2}}), {{0, 1}, {3, 2}});
    take_plain_layouts(of.list, of.model, turned);
    std::vector<std::int64_t> all(4, 0);
    for (const LabelAxis& axis : of.list.tensors[3].layout.axes) {
      all[static_cast<std::size_t>(axis.label)] = axis.stride;
    }
    return all;  // index: label of b, c, e, f
  };
  EXPECT_THAT(strides(false), ElementsAre(1, 0, 3, 0));
  EXPECT_THAT(strides(true), ElementsAre(6, 0, 1, 0));
}

TEST(StepLists, ChosenLayoutsAreDenseAndNoSlower) {
  std::mt19937 random(1);
  for (int i = 0; i < 30; ++i) {
    const Network network = random_network(random, 5);
    Listed of(network, {{0, 1}, {2, 3}, {5, 6}, {7, 4}});
    const auto seconds = [&] {
      Seconds sum = 0;
      for (const ListedStep& step : of.list.steps) {
        sum += seconds_of(of.list, step, of.model);
      }
      return sum;
    };
    const Seconds before = seconds();
    choose_layouts(of.list, of.model);
    EXPECT_LE(seconds(), before * (1 + 1e-12));
    for (const ListedTensor& tensor : of.list.tensors) {
      std::int64_t next = 1;
      for (const LabelAxis& axis : tensor.layout.axes) {
        if (!tensor.is_fixed) {
          EXPECT_EQ(axis.stride, next);
          next *= of.terms.extents[static_cast<std::size_t>(axis.label)];
        }
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::contract
