#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "tests/message_of.hpp"
#include "tests/schema_check.hpp"
#include "tests/tasks/contraction/planning_fixture.hpp"

namespace flopcast {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class WholeNotation : public tests::PlanningFixture {
 protected:
  /// Returns the result's elements; `shape_` is its shape.
  std::vector<double> compute(const std::string& expression, const std::vector<std::string>& files) {
    std::vector<std::string> operands;
    for (const std::string& file : files) {
      operands.push_back(path(file));
    }
    run_ = run_contraction(services_, {{contract::parse_expression(expression)}, operands, path("c.npy"), request_}, context_);
    return load("c.npy");
  }
  ContractionResult explain(const std::string& text, const std::map<contract::Label, std::int64_t>& sizes) {
    return run_contraction(services_, {{contract::parse_expression(text), sizes}, {}, {}, request_, false}, context_);
  }
  ContractionResult run(const std::string& text, const std::map<contract::Label, std::int64_t>& sizes) {
    return run_contraction(services_, {{contract::parse_expression(text), sizes}, {}, {}, request_}, context_);
  }

  ContractionResult run_;
};

TEST_F(WholeNotation, ComputesFilesOfOneOperandWithoutTheMachine) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(compute("ij->ji", {"a.npy"}), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(shape_, ElementsAre(3, 2));
  EXPECT_THAT(compute("...i->...", {"a.npy"}), ElementsAre(6, 15));
  EXPECT_THAT(compute("ij->", {"a.npy"}), ElementsAre(21));
  EXPECT_THAT(run_.times, SizeIs(1));
  EXPECT_EQ(machines_, 0);
}

TEST_F(WholeNotation, ComputesFilesOfTwoOperands) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  save("b.npy", {1, 2}, {1, 10});
  EXPECT_THAT(compute("ij,ki->i", {"a.npy", "b.npy"}), ElementsAre(6, 150));
  EXPECT_THAT(compute("ij,ij->", {"a.npy", "a.npy"}), ElementsAre(91));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.npy is both operands")));
}

TEST_F(WholeNotation, ComputesFilesOfManyOperands) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  save("b.npy", {3, 2}, {1, 0, 0, 1, 1, 1});
  save("d.npy", {2, 1}, {1, 10});
  EXPECT_THAT(compute("ij,jk,kl->il", {"a.npy", "b.npy", "d.npy"}), ElementsAre(54, 120));
  EXPECT_THAT(shape_, ElementsAre(2, 1));
  EXPECT_EQ(run_.expression, "ij,jk,kl->il");
  EXPECT_THAT(run_.steps.steps, SizeIs(2));
  EXPECT_THAT(notes_, ::testing::IsEmpty());
}

TEST_F(WholeNotation, ResultsOfFilesNeedMemory) {
  constexpr std::int64_t length = 1 << 22;  // the result would have 128 TiB
  save("long.npy", {length}, std::vector<double>(length));
  try {
    compute("i,j->ij", {"long.npy", "long.npy"});
    FAIL() << "the result has room";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("c.npy needs"), HasSubstr("4194304 x 4194304 elements")));
  }
  EXPECT_EQ(machines_, 0) << "nothing is planned";
}

TEST_F(WholeNotation, OneFileIsOneTensorAmongManyOperands) {
  save("a.npy", {2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(compute("ij,jk,kl,lm->im", {"a.npy", "a.npy", "a.npy", "a.npy"}), ElementsAre(199, 290, 435, 634));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("a.npy is operands 1, 2, 3, 4: they are taken for one tensor")));
  EXPECT_THAT(run_.steps.steps, SizeIs(2)) << "the square is computed once, then its square";
}

TEST_F(WholeNotation, DescribesTheStepsOfATree) {
  request_.order = contract::Order::column_major;
  const ContractionResult planned = explain("ab,bc,cd->ad", {{'a', 20}, {'b', 30}, {'c', 2}, {'d', 40}});
  EXPECT_EQ(planned.expression, "ab,bc,cd->ad");
  EXPECT_EQ(planned.sizes, (std::map<std::string, std::int64_t>{{"a", 20}, {"b", 30}, {"c", 2}, {"d", 40}}));
  ASSERT_THAT(planned.steps.steps, SizeIs(2));
  EXPECT_THAT(planned.steps.steps[0].step, AllOf(HasSubstr(" operand1[ab]"), HasSubstr(" operand2[bc]"))) << "the expression's order";
  EXPECT_THAT(planned.steps.steps[1].step, ::testing::StartsWith("output[ad] := "));
  EXPECT_THAT(planned.steps.steps[1].step, HasSubstr("operand3[cd]"));
  EXPECT_EQ(planned.steps.steps[0].flops, 2 * 20 * 30 * 2);
  EXPECT_EQ(planned.steps.steps[1].bytes, 8 * (20 * 2 + 2 * 40 + 20 * 40));
  EXPECT_EQ(planned.flops, 2 * 20 * 2 * (30 + 40));
  EXPECT_DOUBLE_EQ(planned.plan.seconds, planned.steps.steps[0].seconds + planned.steps.steps[1].seconds);
  EXPECT_EQ(planned.plan.workspace_bytes, 64 * 5) << "20 x 2 elements in whole cache lines";
  EXPECT_EQ(planned.plan.resident_bytes, 8 * (20 * 30 + 30 * 2 + 2 * 40 + 20 * 40) + planned.plan.workspace_bytes);
  EXPECT_TRUE(planned.steps.is_exhaustive);
  EXPECT_THAT(planned.plan.explanation, HasSubstr("operand3[cd]"));
}

TEST_F(WholeNotation, DescribesTheStepOfTwoOperandsAndOfOne) {
  const ContractionResult planned = explain("ij,jk->ik", {{'i', 2}, {'j', 3}, {'k', 4}});
  ASSERT_THAT(planned.steps.steps, SizeIs(1));
  const PlannedStep& step = planned.steps.steps[0];
  EXPECT_EQ(step.step, "output[ik] := operand1[ij] operand2[jk]");
  EXPECT_EQ(step.flops, 2 * 2 * 3 * 4);
  EXPECT_EQ(step.bytes, 8 * (2 * 3 + 3 * 4 + 2 * 4));
  EXPECT_EQ(step.seconds, planned.plan.seconds);
  EXPECT_EQ(planned.plan.resident_bytes, 8 * (2 * 3 + 3 * 4 + 2 * 4) + planned.plan.workspace_bytes);
  EXPECT_EQ(explain("ij->ji", {{'i', 2}, {'j', 3}}).steps.steps[0].step, "output[ji] := operand1[ij]");
}

TEST_F(WholeNotation, DescribesPlansThatHaveNoRoom) {
  constexpr std::int64_t length = 1 << 22;  // a matrix has 128 TiB
  const ContractionResult pair = explain("ij,jk->ik", {{'i', length}, {'j', length}, {'k', length}});
  ASSERT_THAT(pair.steps.steps, SizeIs(1));
  EXPECT_GT(pair.steps.steps[0].seconds, 0);
  EXPECT_EQ(pair.plan.resident_bytes, 3 * 8 * length * length);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the tensors need 384 TiB of memory")));
  EXPECT_GT(explain("ij->ji", {{'i', length}, {'j', length}}).plan.seconds, 0);
  request_.effort = contract::Effort::measure;
  EXPECT_THAT(tests::message_of([&] {
                explain("ij,jk->ik", {{'i', length}, {'j', length}, {'k', length}});
              }),
              HasSubstr("the tensors need 384 TiB of memory"));
}

TEST_F(WholeNotation, SaysThatTheMachineWasNoisyOfExecutionsOnly) {
  int told = 0;
  services_.tell_noise = [&told](const RunContext&) { ++told; };
  static_cast<void>(explain("ij,jk->ik", {{'i', 2}, {'j', 3}, {'k', 4}}));
  EXPECT_EQ(told, 0);
  static_cast<void>(run("ij->ji", {{'i', 2}, {'j', 3}}));
  EXPECT_EQ(told, 1);
}

TEST_F(WholeNotation, CutsLabelsWhereMemoryIsLimited) {
  const std::map<contract::Label, std::int64_t> sizes = {{'a', 30}, {'b', 20}, {'c', 30}, {'d', 20}, {'e', 30}};
  request_.max_bytes = 1000;
  const ContractionResult planned = explain("ab,bc,cd,de->ae", sizes);
  EXPECT_LE(planned.plan.workspace_bytes, 1000);
  ASSERT_FALSE(planned.steps.blocks.empty());
  const BlockedLabel& blocked = planned.steps.blocks[0];
  EXPECT_EQ(blocked.size, sizes.at(blocked.label[0]));
  EXPECT_LT(blocked.block_size, blocked.size);
  EXPECT_GT(planned.steps.steps.back().executions, 1);
  request_.max_bytes = 4;
  EXPECT_THAT(tests::message_of([&] { explain("ab,bc,cd,de->ae", sizes); }), HasSubstr("allow more bytes"));
}

TEST_F(WholeNotation, TreesHaveNoTiles) {
  request_.tiles = contract::parse_tiles("8x8x8:panels");
  const std::map<contract::Label, std::int64_t> sizes = {{'a', 3}, {'b', 3}, {'c', 3}, {'d', 3}};
  EXPECT_THAT(tests::message_of([&] { run("ab,bc,cd->ad", sizes); }), HasSubstr("tiles are for one contraction of two tensors"));
  EXPECT_THAT(tests::message_of([&] { explain("ab,bc,cd->ad", sizes); }), HasSubstr("tiles are for one contraction of two tensors"));
}

TEST_F(WholeNotation, RunsTensorsThatAreOne) {
  request_.tensors = {0, 0, 0, 0};
  EXPECT_THAT(run("ab,bc,cd,de->ae", {{'a', 4}, {'b', 4}, {'c', 4}, {'d', 4}, {'e', 4}}).steps.steps, SizeIs(2));
  request_.tensors = {0, 0, 0};
  EXPECT_THROW(run("ab,bc,cd,de->ae", {{'a', 4}, {'b', 4}, {'c', 4}, {'d', 4}, {'e', 4}}), Error);
  EXPECT_THROW(run("ab,bc->ac", {{'a', 4}, {'b', 4}, {'c', 4}}), Error);
}

TEST_F(WholeNotation, RunsForASecond) {
  const ContractionResult run = this->run("iji->j", {{'i', 8}, {'j', 4}});
  EXPECT_THAT(run.times, SizeIs(4)) << "each loop looks at the clock three times";
  EXPECT_THAT(run.times, Each(::testing::DoubleNear(0.1, 1e-9)));
  EXPECT_EQ(run.flops, 2 * 8 * 4);
  EXPECT_NEAR(run.flops_per_second, 2 * 8 * 4 / 0.1, 1e-6);
  EXPECT_EQ(run.expression, "iji->j");
  EXPECT_EQ(run.sizes, (std::map<std::string, std::int64_t>{{"i", 8}, {"j", 4}}));
  EXPECT_THAT(run.plan.explanation, HasSubstr("without BLAS"));
}

TEST_F(WholeNotation, SaysThatTilesAreNotUsed) {
  request_.tiles = contract::parse_tiles("8x8x8:panels");
  static_cast<void>(run("ij->ji", {{'i', 8}, {'j', 4}}));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no tiles are used")));
  EXPECT_THAT(run("ijx,jk->ik", {{'i', 20}, {'j', 20}, {'k', 20}, {'x', 2}}).plan.considered.front().tiles, HasSubstr("in panels"));
}

TEST_F(WholeNotation, RefusesWhatContradicts) {
  save("a.npy", {2, 3}, {1, 2, 3, 4, 5, 6});
  for (const char* expression : {"i->i", "ii->i", "ij,jk->ik", "ij->k", "ij->$"}) {
    EXPECT_THROW(compute(expression, {"a.npy"}), Error) << expression;
  }
  EXPECT_FALSE(std::filesystem::exists(path("c.npy")));
  save("c.npy", {2}, {1, 2});
  EXPECT_THROW(compute("i->", {"c.npy"}), Error) << "the result would overwrite the operand";
  EXPECT_THROW(run("ij->ji", {{'i', std::int64_t{1} << 30}, {'j', std::int64_t{1} << 28}}), Error) << "too large for memory";
}

TEST_F(WholeNotation, CancelledRunsEnd) {
  context_.cancelled = [] { return true; };
  EXPECT_THROW(static_cast<void>(run("ij->ji", {{'i', 8}, {'j', 4}})), Cancelled);
}

TEST(ContractionDocuments, ReadBack) {
  ContractionResult result{"ij->ji",
                           {{"i", 2}, {"j", 0}},
                           Precision::z,
                           {"4 elements", 0.5, 4096, 8192, {{"8 x 8 x 8", 0.5, "model"}}, "nkm", "A"},
                           12,
                           0.25,
                           {1, 2, 3},
                           1e9,
                           {{{"output[ji] := operand1[ij]", 3, 24, 48, 0.125}}, {{"j", 7, 3}}, false}};
  EXPECT_EQ(contraction_result_from_json(to_json(result)), result);
  EXPECT_EQ(tests::schema_violation(to_json(result), contraction_schemas()), "");
  result.times.clear();
  EXPECT_EQ(contraction_result_from_json(to_json(result)), result);
  EXPECT_EQ(tests::schema_violation(to_json(result), contraction_schemas()), "");
}

TEST(ContractionDocuments, ThoseWithoutStepsAndTimesAreRead) {
  const ContractionResult result = contraction_result_from_json(R"({"schema": "flopcast-contraction-1", "expression": "ij->ji",
    "sizes": {"i": 2, "j": 3}, "precision": "d",
    "plan": {"explanation": "", "seconds": 1, "workspace_bytes": 0, "considered": [], "loops": "", "kept": ""}, "flops": 12})");
  EXPECT_EQ(result.flops, 12);
  EXPECT_THAT(result.times, ::testing::IsEmpty());
  EXPECT_THAT(result.steps.steps, ::testing::IsEmpty());
}

}  // namespace
}  // namespace flopcast
