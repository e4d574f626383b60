#include "flopcast/contract/network/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/planner/wisdom.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "tests/contract/blas/openblas_machine.hpp"
#include "tests/contract/einsum/naive_einsum.hpp"
#include "tests/own_folder.hpp"
#include "tests/resident_growth.hpp"

namespace flopcast::contract {
namespace {

TEST(Plan, AgreesWithNestedLoops) {
  std::mt19937 random(21);
  int with_loops = 0;
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    const EinsumCase problem = random_case(random, {1, 6, 0, 3, 6, 4, 3e4});
    PlanOptions options;
    options.precision = problem.precision;
    options.threads = 1 + i % 2;
    if (i % 3 == 0) {
      options.max_bytes = 128;
    }
    try {
      const Plan plan = contract::plan(problem.expression, problem.strides(), test_machine(), options);
      EXPECT_TRUE(hold_equal_numbers(problem.precision, result_of_plan(problem, plan), result_of_loops(problem)))
          << describe(problem) << plan.explain();
      with_loops += plan.tree() != nullptr && !plan.tree()->loops.empty() ? 1 : 0;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("allow more bytes"));
    }
  }
  EXPECT_GT(with_loops, 0);
}

TEST(Plan, MeasuredPlansAgreeWithNestedLoops) {
  std::mt19937 random(23);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const EinsumCase problem = random_case(random, {3, 5, 0, 3, 6, 4, 3e4});
    PlanOptions options;
    options.precision = problem.precision;
    options.effort = Effort::measure;
    options.time_budget = 0.01;
    const Plan plan = contract::plan(problem.expression, problem.strides(), test_machine(), options);
    EXPECT_TRUE(hold_equal_numbers(problem.precision, result_of_plan(problem, plan), result_of_loops(problem)))
        << describe(problem) << plan.explain();
  }
}

TEST(Plan, MeasuredPlansKeepTheTimeBudget) {
  PlanOptions options;
  options.effort = Effort::measure;
  options.time_budget = 0.5;
  const std::vector<std::vector<std::int64_t>> shapes(4, {400, 400});  // each step takes milliseconds
  const Stopwatch watch;
  const Plan plan = contract::plan("ab,bc,cd,de->ae", shapes, test_machine(), options);
  EXPECT_LT(watch.elapsed(), 2 * options.time_budget) << plan.explain();
}

TEST(Plan, StepsHaveWisdomOfTheirOwn) {
  const tests::OwnFolder folder;
  model::Store store = model::Store::open(folder.path() / "store.db");
  PlanOptions options;
  options.effort = Effort::measure;
  options.time_budget = 0.05;
  options.wisdom = &store;
  const std::vector<std::vector<std::int64_t>> shapes = {{60, 20}, {20, 50}, {50, 10}};
  static_cast<void>(contract::plan("ab,bc,cd->ad", shapes, test_machine(), options));
  const std::vector<std::string> names = artifact_names(store, model::artifact::contraction_plan);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(wisdom_conditions(names.front())->effort, "measure 12 within 0.05 s for all steps");
}

TEST(Plan, MultipliesChainsOfMatrices) {
  const std::vector<std::vector<std::int64_t>> shapes = {{300, 20}, {20, 200}, {200, 10}, {10, 250}};
  const Plan plan = contract::plan("ab,bc,cd,de->ae", shapes, test_machine());
  std::mt19937 random(22);
  std::vector<std::vector<double>> data;
  std::vector<const void*> operands;
  for (const std::vector<std::int64_t>& shape : shapes) {
    data.emplace_back(static_cast<std::size_t>(shape[0] * shape[1]));
    for (double& element : data.back()) {
      element = static_cast<double>(random() % 5) - 2;
    }
  }
  for (const std::vector<double>& one : data) {
    operands.push_back(one.data());
  }
  std::vector<double> expected = data[0];
  for (std::size_t i = 1; i < shapes.size(); ++i) {  // from the left
    const auto n = static_cast<std::size_t>(shapes[i][1]), k = static_cast<std::size_t>(shapes[i][0]);
    std::vector<double> next(300 * n);
    for (std::size_t row = 0; row < 300; ++row) {
      for (std::size_t p = 0; p < k; ++p) {
        for (std::size_t column = 0; column < n; ++column) {
          next[row * n + column] += expected[row * k + p] * data[i][p * n + column];
        }
      }
    }
    expected = next;
  }
  std::vector<double> found(300 * 250, -1);
  plan.execute(operands, found.data());
  EXPECT_EQ(found, expected) << plan.explain();
  EXPECT_THAT(plan.explain(), testing::HasSubstr("output[ae]"));
  EXPECT_EQ(plan.flops(), 2.0 * (20 * 200 * 10 + 300 * 20 * 10 + 300 * 10 * 250)) << plan.explain();
}

TEST(Plan, TimesOfTreesAreThoseOfTheirPlannedSteps) {
  const Plan plan =
      contract::plan("aib,bjc,cka->kij", std::vector<std::vector<std::int64_t>>{{6, 5, 7}, {7, 3, 8}, {8, 9, 6}}, test_machine());
  const ContractionTree& tree = *plan.tree();
  Seconds all = 0;
  for (const TreeStep& step : tree.steps) {
    std::vector<std::string> texts;
    std::vector<std::vector<std::int64_t>> shapes;
    for (const std::vector<Label>* labels : {&step.a.labels, &step.b.labels, &tree.tensors[static_cast<std::size_t>(step.result)].labels}) {
      texts.emplace_back(labels->begin(), labels->end());  // labels are letters; tensors are dense, the last label fastest
      shapes.emplace_back();
      for (const Label label : *labels) {
        shapes.back().push_back(tree.network.extents.at(label));
      }
    }
    shapes.pop_back();
    const Plan of_step = contract::plan(texts[0] + "," + texts[1] + "->" + texts[2], shapes, test_machine());
    EXPECT_EQ(step.seconds, of_step.seconds()) << plan.explain();
    all += step.seconds;
  }
  EXPECT_EQ(tree.steps.size(), 2U);
  EXPECT_EQ(plan.seconds(), all);
}

TEST(Plan, StepsOfIncrementalPlansChooseEach) {
  const std::vector<std::vector<std::int64_t>> shapes = {{60, 20}, {20, 50}, {50, 10}};
  PlanOptions options;
  options.effort = Effort::incremental;
  const Plan plan = contract::plan("ab,bc,cd->ad", shapes, test_machine(), options);
  EXPECT_FALSE(plan.is_decided());
  EXPECT_THAT(plan.explain(), testing::HasSubstr("2 of 2 planned steps undecided"));
  const std::vector<double> a(1200, 1.0), b(1000, 2.0), c(500, 0.5);
  const std::vector<const void*> operands = {a.data(), b.data(), c.data()};
  int executions = 0;
  for (constexpr int most = 160; executions < most && !plan.is_decided(); ++executions) {
    std::vector<double> found(600, 1.0);
    plan.execute(operands, found.data(), 1.0, 1.0);
    ASSERT_EQ(found, std::vector<double>(600, 1001.0));
  }
  EXPECT_TRUE(plan.is_decided()) << plan.explain();
  EXPECT_GE(executions, 4);
  EXPECT_THAT(plan.explain(), testing::Not(testing::HasSubstr("undecided")));
  EXPECT_TRUE(contract::plan("ab,bc,cd->ad", shapes, test_machine()).is_decided());
}

TEST(Plan, MakesEqualProductsOnce) {
  const std::vector<std::vector<std::int64_t>> shapes(4, {50, 50});
  PlanOptions options;
  options.tensors = {0, 0, 0, 0};
  const Plan plan = contract::plan("ab,bc,cd,de->ae", shapes, test_machine(), options);
  EXPECT_EQ(plan.tree()->steps.size(), 2U) << plan.explain();
  std::vector<double> matrix(50 * 50), found(50 * 50), apart(50 * 50);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    matrix[i] = static_cast<double>(i % 7) - 3;
  }
  const std::vector<const void*> operands(4, matrix.data());
  plan.execute(operands, found.data());
  contract::plan("ab,bc,cd,de->ae", shapes, test_machine()).execute(operands, apart.data());
  EXPECT_EQ(found, apart);
  options.tensors = {0};
  EXPECT_THROW(contract::plan("ab,bc,cd,de->ae", shapes, test_machine(), options), Error);
}

TEST(Plan, NeedsTheMemoryOfTensorsAndWorkspace) {
  const std::vector<std::vector<std::int64_t>> squares = {{50, 40}, {50, 40}};
  PlanOptions options;
  const std::int64_t operand = 8 * 50 * 40;
  const auto bytes_beside_workspace = [&](const char* text, const std::vector<std::vector<std::int64_t>>& shapes) {
    const Plan plan = contract::plan(text, shapes, test_machine(), options);
    return plan.resident_bytes() - plan.workspace_bytes();
  };
  EXPECT_EQ(bytes_beside_workspace("ij,kj->ik", squares), 2 * operand + 8 * 50 * 50);
  options.tensors = {3, 3};
  EXPECT_EQ(bytes_beside_workspace("ij,kj->ik", squares), operand + 8 * 50 * 50) << "one tensor";
  options.tensors = {};
  EXPECT_EQ(bytes_beside_workspace("ij->i", {{50, 40}}), operand + 8 * 50);

  const Plan tree = contract::plan("ij,jk,ik->ik", std::vector<std::vector<std::int64_t>>{{50, 40}, {40, 30}, {50, 30}}, test_machine());
  ASSERT_NE(tree.tree(), nullptr);
  EXPECT_GE(tree.resident_bytes(), 8 * (50 * 40 + 40 * 30 + 3 * 50 * 30)) << "the product, which is multiplied element by element, too";
}

TEST(Plan, TreesCountTheBuffersOfTheirSteps) {
  const std::vector<std::vector<std::int64_t>> shapes = {{10, 10, 8, 8}, {10, 10, 8, 8}, {10, 10, 8, 8}};
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    PlanOptions options;
    options.effort = effort;
    options.time_budget = 0.05;
    const Plan plan = contract::plan("aibj,cidj,acbd->acbd", shapes, test_machine(), options);  // BLAS reads none of the first two in place
    EXPECT_GT(plan.resident_bytes(), plan.workspace_bytes() + 8 * 4 * 80 * 80) << plan.explain();
  }
}

TEST(Plan, TakesThePredictedMemory) {
  tests::warm_up(test_machine().find, 4000);
  const auto expect_predicted = [](const char* text, const std::vector<std::vector<std::int64_t>>& shapes) {
    SCOPED_TRACE(text);
    const SizedExpression expression = with_shapes(parse_expression(text), shapes);
    const Plan plan = contract::plan(expression, {}, test_machine());
    tests::expect_growth(plan.resident_bytes(), [&] {
      const EinsumTensors tensors(expression, {}, {});
      plan.execute(tensors.operands(), tensors.result());
    });
  };
  expect_predicted("ij,jk->ik", {{4000, 200}, {200, 4000}});
  expect_predicted("ij->ji", {{3000, 3000}});
  expect_predicted("ij,jk,ik->ik", {{2300, 100}, {100, 2300}, {2300, 2300}});
}

TEST(Plan, RefusesOverlapAndWrongNumbers) {
  const std::vector<std::vector<std::int64_t>> shapes(3, {4, 4});
  const Plan plan = contract::plan("ab,bc,cd->ad", shapes, test_machine());
  std::vector<double> x(16), y(16), z(16), result(16);
  const std::array<const void*, 3> operands = {x.data(), y.data(), z.data()};
  EXPECT_THROW(plan.execute(operands, x.data()), Error);
  EXPECT_THROW(plan.execute(std::span(operands.data(), 2), result.data()), Error);
  EXPECT_THROW(plan.execute(operands, result.data(), {1, 1}), Error);
  EXPECT_THROW(plan.execute(operands, nullptr), Error);
  plan.execute(operands, result.data());
}

}  // namespace
}  // namespace flopcast::contract
