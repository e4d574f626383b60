#include "flopcast/contract/einsum/pair_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/contract/blas/openblas_machine.hpp"
#include "tests/contract/einsum/naive_einsum.hpp"

namespace flopcast::contract {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

/// Returns whether the case was planned with BLAS.
bool expect_right(const EinsumCase& problem, int threads = 1) {
  const Plan plan = plan_pair(problem, test_machine(), threads);
  EXPECT_TRUE(hold_equal_numbers(problem.precision, result_of_plan(problem, plan), result_of_loops(problem)))
      << describe(problem) << plan.explain();
  return plan.core() != nullptr;
}

TEST(PairPlan, AgreesWithNestedLoops) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    expect_right(random_case(random, {2, 2}));
  }
}

TEST(PairPlan, AgreesWithNestedLoopsWhereBlasIsCalled) {
  std::mt19937 random(12);
  int planned = 0;
  for (int i = 0; i < 20000 && !HasFailure(); ++i) {
    planned += expect_right(random_case(random, {2, 2, 2, 3, 4, i % 4 == 0 ? 60 : 30, 4e4}), 1 + i % 2) ? 1 : 0;
  }
  EXPECT_GT(planned, 500);
}

/// Compares random cases in whose explanation `part` stands, until there are `wanted` of them.
void expect_right_where(const std::string& part, const EinsumRanges& ranges, int wanted) {
  std::mt19937 random(14);
  int found = 0;
  for (int i = 0; i < 20000 && found < wanted && !::testing::Test::HasFailure(); ++i) {
    const EinsumCase problem = random_case(random, ranges);
    if (plan_pair(problem, test_machine(), 1).explain().find(part) != std::string::npos) {
      expect_right(problem, 1 + found++ % 2);
    }
  }
  EXPECT_EQ(found, wanted) << part;
}

TEST(PairPlan, AgreesWithNestedLoopsWhereOperandsAreArranged) { expect_right_where("copied in the order", {2, 2, 2, 4, 4, 30, 4e4}, 100); }

TEST(PairPlan, AgreesWithNestedLoopsWhereTheResultIsCopied) {
  expect_right_where("result is computed in the order", {2, 2, 1, 4, 4, 30, 2e5}, 8);
}

/// Returns a tensor of doubles in C's order, with small integers.
TestTensor dense_tensor(const std::vector<std::int64_t>& shape) {
  TestTensor tensor{shape, std::vector<std::int64_t>(shape.size(), 1), 0, {}};
  for (std::size_t i = shape.size(); i-- > 1;) {
    tensor.strides[i - 1] = tensor.strides[i] * shape[i];
  }
  std::vector<double> values(static_cast<std::size_t>(shape.front() * tensor.strides.front()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i % 7) - 3;
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  tensor.memory.assign(bytes, bytes + values.size() * sizeof(double));
  return tensor;
}

TEST(PairPlan, AgreesWithNestedLoopsWhereOperandsOfBlasAreArranged) {
  const std::vector<std::pair<const char*, Shapes>> cases = {
      {"ed,afbdc->acebf", {{4, 10}, {9, 8, 7, 10, 6}}}, {"bac,ca->b", {{80, 9, 8}, {8, 9}}},
      {"cbad,ad->bc", {{40, 30, 5, 6}, {5, 6}}},        {"abdc,de->ecab", {{11, 12, 13, 9}, {13, 3}}},
      {"bdace,d->ecba", {{6, 5, 9, 7, 8}, {5}}},        {"d,bacd->abc", {{11}, {12, 13, 9, 11}}}};
  int arranged = 0;
  for (const auto& [text, shapes] : cases) {
    EinsumCase problem{.expression = with_shapes(parse_expression(text), shapes),
                       .operands = {dense_tensor(shapes[0]), dense_tensor(shapes[1])}};
    problem.result = problem.addend = dense_tensor(problem.expression.result_shape());
    const bool is_arranged = plan_pair(problem, test_machine(), 1).explain().find("in the order in which") != std::string::npos;
    arranged += expect_right(problem, 2) && is_arranged ? 1 : 0;
  }
  EXPECT_GE(arranged, 5);
}

TEST(PairPlan, TakesManySmallDimensions) {
  std::mt19937 random(13);
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    expect_right(random_case(random, {2, 2, 4, 9, 14, 2, 1e4}));
  }
}

TEST(PairPlan, ConjugatesWhereFewerElementsAreCopied) {
  PlanOptions options;
  options.precision = Precision::z;
  const auto explanation = [&](const std::string& text, const Shapes& shapes) {
    return plan_pair(text, shapes, test_machine(), options).explain();
  };
  using ::testing::HasSubstr;
  using ::testing::Not;
  EXPECT_THAT(explanation("conj(ij),jk->ik", {{50, 50}, {50, 50}}), HasSubstr("operand 1: conjugated"));
  EXPECT_THAT(explanation("conj(ij),conj(jk)->ik", {{3, 5000}, {5000, 3}}), HasSubstr("conjugate is computed"));
  EXPECT_THAT(explanation("conj(ij),conj(jk)->ik", {{50, 3}, {3, 50}}), Not(HasSubstr("conjugate is computed")));
  EXPECT_THAT(explanation("conj(ij),jk->ik", {{3, 50000}, {50000, 1}}), HasSubstr("conjugate is computed")) << "copying B is cheaper";
  options.precision = Precision::d;
  EXPECT_THAT(explanation("conj(ij),jk->ik", {{50, 50}, {50, 50}}), Not(HasSubstr("conjugate"))) << "real numbers";
}

TEST(PairPlan, ExplainsTheContractionInTheExpressionsLabelsAndOrder) {
  using ::testing::HasSubstr;
  const Shapes shapes = {{50, 40}, {40, 30}};
  const auto explanation = [](const char* text, const Shapes& given) { return plan_pair(text, given, test_machine()).explain(); };
  EXPECT_THAT(explanation("ix,xk->ik", shapes), HasSubstr("\nix,xk->ik: tiles of "));
  EXPECT_THAT(explanation("ki=xk,ix", {{40, 30}, {50, 40}}), HasSubstr("\nxk,ix->ki: tiles of "));
  EXPECT_THAT(explanation("bα,αβ->bβ", shapes), HasSubstr("\nbα,αβ->bβ: tiles of "));
  EXPECT_THAT(explanation("...i,...ij->...j", {{30, 40}, {30, 40, 50}}), HasSubstr("\n...i,...ij->...j: tiles of "));
  EXPECT_THAT(explanation("yixx,xk->ki", {{3, 50, 40, 40}, {40, 30}}), HasSubstr("\nix,xk->ki: tiles of "))
      << "y is summed, xx is a diagonal";
}

TEST(PairPlan, ExplainsTheContractionOfNumberedLabels) {
  const Expression expression = make_expression({{{7, -2}}, {{-2, 900}}}, Subscripts{{900, 7}});
  const SizedExpression sized = with_shapes(expression, Shapes{{50, 40}, {40, 30}});
  EXPECT_THAT(plan_pair(sized, {}, test_machine()).explain(), ::testing::HasSubstr("\n[7 -2],[-2 900]->[900 7]: tiles of "));
}

TEST(PairPlan, SumsBeforeMultiplying) {
  const Plan plan = plan_pair("ijx,jky->ik", Shapes{{20, 30, 4}, {30, 20, 5}}, test_machine());
  EXPECT_EQ(plan.flops(), 2.0 * 20 * 30 * 20);
  EXPECT_GE(plan.workspace_bytes(), (20 * 30 + 30 * 20) * 8);
  EXPECT_GT(plan.seconds(), 0);
}

TEST(PairPlan, LeavesMatricesThatBlasReadsToBlas) {
  const auto calls_blas = [](const std::string& text, const Shapes& shapes, const EinsumStrides& strides = {}) {
    return plan_pair(with_shapes(parse_expression(text), shapes), strides, test_machine()).core() != nullptr;
  };
  EXPECT_TRUE(calls_blas("ij,j->i", {{50, 40}, {40}}));
  EXPECT_TRUE(calls_blas("j,jik->ik", {{40}, {40, 5, 10}})) << "i and k are one dimension";
  EXPECT_TRUE(calls_blas("bij,bj->bi", {{7, 50, 40}, {7, 40}})) << "a batch of matrices";
  EXPECT_TRUE(calls_blas("ij,j->i", {{50, 40}, {40}}, {{{1, 64}, {3}}})) << "a part of a larger matrix";
}

TEST(PairPlan, KeepsNotANumberOfAnOperandInAProductWithZero) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), zero = 0;
  const std::array<double, 2> b = {nan, 1};
  std::array<double, 2> d{};
  const std::array<const void*, 2> operands = {&zero, b.data()};
  plan_pair(",i->i", Shapes{{}, {2}}, Machine{}).execute(operands, d.data());
  EXPECT_TRUE(std::isnan(d[0]));
  EXPECT_EQ(d[1], 0);
}

TEST(PairPlan, RefusesLabelsThatAreTooLongForBlas) {
  const Shapes shapes = {{3, 1LL << 32}, {1LL << 32, 3}};
  try {
    plan_pair("ij,jk->ik", shapes, test_machine());
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("label j has size 4294967296"));
  }
}

}  // namespace
}  // namespace flopcast::contract
