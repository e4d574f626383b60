#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <thread>

#include "flopcast/contract/einsum/pair_plan.hpp"
#include "tests/contract/einsum/naive_einsum.hpp"
#include "tests/message_of.hpp"

// Expressions that need no BLAS: one operand, and two operands without a contraction worth a call.
namespace flopcast::contract {
namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;

void expect_right(const EinsumCase& problem, int threads = 1) {
  const Plan plan = plan_pair(problem, Machine{}, threads);
  ASSERT_TRUE(hold_equal_numbers(problem.precision, result_of_plan(problem, plan), result_of_loops(problem)))
      << describe(problem) << plan.explain();
}

TEST(EinsumOfOneOperand, AgreesWithNestedLoops) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000 && !HasFatalFailure(); ++i) {
    expect_right(random_case(random, {1, 1}));
  }
}

TEST(EinsumOfOneOperand, AgreesWithNestedLoopsWhereTilesEnd) {
  std::mt19937 random(2);
  for (int i = 0; i < 6000 && !HasFatalFailure(); ++i) {
    expect_right(random_case(random, {1, 1, 1, 4, 4, i % 3 == 0 ? 700 : 70, 3e4}), 1 + i % 2);
  }
}

TEST(EinsumOfOneOperand, TakesManySmallDimensions) {
  std::mt19937 random(3);
  for (int i = 0; i < 5000 && !HasFatalFailure(); ++i) {
    expect_right(random_case(random, {1, 1, 4, 12, 14, 2, 1e4}));
  }
}

std::vector<double> counted(std::size_t count) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(EinsumOfOneOperand, SharesLargeWorkAmongThreads) {
  constexpr std::int64_t rows = 700, columns = 900;
  PlanOptions options;
  options.threads = 3;
  const std::vector<double> a = counted(rows * columns);
  const std::array<const void*, 1> operands = {a.data()};
  std::vector<double> transposed(rows * columns), sums(rows);
  plan_pair("ij->ji", Shapes{{rows, columns}}, Machine{}, options).execute(operands, transposed.data());
  plan_pair("ij->i", Shapes{{rows, columns}}, Machine{}, options).execute(operands, sums.data());
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      const double value = a[static_cast<std::size_t>(i * columns + j)];
      ASSERT_EQ(transposed[static_cast<std::size_t>(j * rows + i)], value);
      sum += value;
    }
    ASSERT_EQ(sums[static_cast<std::size_t>(i)], sum);
  }
}

TEST(EinsumOfOneOperand, SharesLongSumsAmongThreads) {
  constexpr std::int64_t rows = 401, columns = 703;
  PlanOptions options;
  options.threads = 3;
  const std::vector<double> a = counted(rows * columns);
  double sum = 0, squares = 0, odd = 0;
  for (const double value : a) {
    sum += value;
    squares += value * (static_cast<double>(a.size()) - 1 - value);
    odd += std::fmod(value, 2) == 1 ? value : 0;
  }
  double result = 0.5;
  const std::array<const void*, 1> one = {a.data()};
  const Plan total = plan_pair("ij->", Shapes{{rows, columns}}, Machine{}, options);
  EXPECT_THAT(total.explain(), ::testing::HasSubstr("on 3 threads"));
  total.execute(one, &result, 2.0, 4.0);
  EXPECT_EQ(result, 2 * sum + 2);
  const SizedExpression product = with_shapes(parse_expression("ij,ij->"), Shapes{{rows, columns}, {rows, columns}});
  const Plan backwards = plan_pair(product, {{{columns, 1}, {-columns, -1}}}, Machine{}, options);
  const std::array<const void*, 2> both = {a.data(), a.data() + a.size() - 1};
  backwards.execute(both, &result);
  EXPECT_EQ(result, squares);
  std::array<double, 2> parts{};
  plan_pair("ij->j", Shapes{{rows * columns / 2, 2}}, Machine{}, options).execute(one, parts.data());
  EXPECT_EQ(parts[1], odd);
}

TEST(EinsumOfOneOperand, MayBeExecutedFromSeveralThreads) {
  const Plan plan = plan_pair("ij,k->i", Shapes{{5, 7}, {3}}, Machine{});
  const std::vector<double> a = counted(35), b = {1, 2, 3};
  std::vector<std::vector<double>> results(4, std::vector<double>(5));
  std::vector<std::thread> threads;
  for (std::vector<double>& result : results) {
    threads.emplace_back([&] {
      const std::array<const void*, 2> operands = {a.data(), b.data()};
      for (int i = 0; i < 100; ++i) {
        plan.execute(operands, result.data());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<double>& result : results) {
    EXPECT_EQ(result, (std::vector<double>{126, 420, 714, 1008, 1302}));
  }
}

TEST(EinsumOfOneOperand, ErrorsLeaveTheResultAlone) {
  using ::testing::HasSubstr;
  const Plan plan = plan_pair("ij->ji", Shapes{{2, 3}}, Machine{});
  std::vector<double> memory(20, 1.0);
  const std::vector<double> before = memory;
  const std::array<const void*, 1> operands = {memory.data()}, nothing = {nullptr};
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute(operands, memory.data() + 5); }), HasSubstr("the result overlaps operand 1"));
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute(operands, memory.data() + 5, memory.data() + 8, 1.0, 1.0); }),
              HasSubstr("the result overlaps the addend"));
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute(operands, nullptr, memory.data() + 8, 1.0, 1.0); }),
              HasSubstr("address of the addend is null"));
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute(nothing, memory.data() + 8); }),
              HasSubstr("the address of operand 1 is null, but the tensor has 6"));
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute(operands, nullptr); }), HasSubstr("the address of the result is null"));
  EXPECT_THAT(tests::bad_input_of([&] { plan.execute({}, memory.data() + 8); }), HasSubstr("has 1 operands, but 0 addresses are given"));
  EXPECT_THAT(tests::bad_input_of([&] {
                plan.execute(operands, memory.data() + 8, {0, 1});
              }),
              HasSubstr("can't be scaled by a complex alpha"));
  EXPECT_EQ(memory, before);
  EXPECT_NO_THROW(plan.execute(nothing, memory.data() + 8, 0.0, 1.0)) << "nothing is read with alpha = 0";
  EXPECT_EQ(memory, before);
}

/// Returns whether BLAS isn't needed, and nothing is copied.
bool is_summed_in_place(const std::string& text, const Shapes& shapes, const EinsumStrides& strides = {}) {
  const Plan plan = plan_pair(with_shapes(parse_expression(text), shapes), strides, Machine{});
  return plan.core() == nullptr && plan.workspace_bytes() == 0;
}

TEST(EinsumWithoutBlas, SumsProductsOfVectorsWhereBlasWouldCopyTheMatrix) {
  EXPECT_TRUE(is_summed_in_place("knc,ck->kn", {{16, 20, 50}, {50, 16}}, {{{1, 16, 320}, {1, 50}}})) << "matrices lie side by side";
  EXPECT_TRUE(is_summed_in_place("ij,j->i", {{600'000, 40}, {40}}, {{{1, 1}, {1}}})) << "windows along a vector";
  EXPECT_TRUE(is_summed_in_place("abcd,cd->ab", {{971, 1961, 30, 40}, {30, 40}}, {{{2000, 1, 2000, 1}, {40, 1}}})) << "windows of a matrix";
  EXPECT_FALSE(is_summed_in_place("ij,j->i", {{1000, 40}, {40}}, {{{1, 1}, {1}}})) << "the tables of a plan are small";
}

TEST(EinsumOfOneOperand, RefusesWhatCantBePlanned) {
  using ::testing::HasSubstr;
  const auto says = [](const std::string& text, const Shapes& shapes, const EinsumStrides& strides = {}) {
    return tests::bad_input_of([&] { plan_pair(with_shapes(parse_expression(text), shapes), strides, Machine{}); });
  };
  EXPECT_THAT(says("i,i,i", {{1}, {1}, {1}}), HasSubstr("has 3 operands; expected one or two"));
  EXPECT_THAT(says("ij->ij", {{2, 3}}, {{{1}}}), HasSubstr("1 strides are given for operand 1, which has 2 axes"));
  EXPECT_THAT(says("ij->ij", {{2, 3}}, {{{1, 2}, {1}}}), HasSubstr("strides of 2 operands are given for 1 operands"));
  EXPECT_THAT(says("ij->ij", {{2, 3}}, {{}, {1}}), HasSubstr("1 strides are given for the result"));
  EXPECT_THAT(says("ij->ij", {{2, 3}}, {{}, {1, 1}}), HasSubstr("let elements share addresses"));
  EXPECT_THAT(says("ij->", {{1LL << 40, 1LL << 40}}), HasSubstr("operand 1 of shape (1099511627776, 1099511627776)"));
  EXPECT_THAT(says("ij->", {{4, 4}}, {{{1LL << 60, 1}}}), HasSubstr("62 bits can't address"));
}

}  // namespace
}  // namespace flopcast::contract
