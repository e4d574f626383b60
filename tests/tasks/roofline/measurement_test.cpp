#include "flopcast/tasks/roofline/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "fake_machine.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"
#include "tests/schema_check.hpp"

namespace flopcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

roofline::Roofline measure(FakeMachine& machine, const RooflineRequest& request, const RunContext& context = {}) {
  return measure_roofline(request, "auto", machine, context);
}

TEST(MeasureRoofline, TakesRoofsBeforeAndAfterGemm) {
  FakeMachine machine;
  RooflineRequest request;
  request.points = {"dgemm m=8 n=8 k=8"};
  request.recordings = {"program.trace"};
  const roofline::Roofline found = measure(machine, request);
  EXPECT_THAT(machine.log_, ElementsAre("caches", "threads on [0] [0, 1] [0, 1, 2, 3]", "compute, seed 1, 5 of 5 rounds",
                                        "bandwidth, 3 of 3 rounds", "dgemm of serial on 0", "dgemm of parallel on 0,1",
                                        "dgemm of parallel on 0,1,2,3", "threads on [0] [0, 1] [0, 1, 2, 3]",
                                        "compute, seed 2, 4 of 5 rounds", "bandwidth, 3 of 3 rounds", "1 calls on '' with 1 threads"));
  ASSERT_EQ(found.compute.size(), 3U);
  EXPECT_EQ(found.compute[0].flops.samples.size(), 9U) << "both parts count; arithmetic has at most 40 % of the time";
  EXPECT_EQ(found.bandwidth[0].bytes.samples.size(), 6U);
  EXPECT_EQ(found.gemm.size(), 3U);
  ASSERT_EQ(found.points.size(), 2U);
  EXPECT_EQ(found.points[0].name, "program.trace");
  EXPECT_EQ(found.levels.size(), 2U);
  EXPECT_EQ(found.peaks.front().flops, 16e9);
  EXPECT_THAT(found.findings, ElementsAre("calls of --point were timed on fakeblas"));
  EXPECT_DOUBLE_EQ(found.seconds, machine.now_ - 100);
}

TEST(MeasureRoofline, LeavesTheSecondRoofsAsMuchTimeAsTheFirstOnesTook) {
  FakeMachine machine;
  measure(machine, {});
  const Seconds roofs = 8 * machine.sample_seconds_;
  Seconds searches = 0;
  for (const roofline::GemmSearchOptions& search : machine.searches_) {
    searches += search.time_budget + search.confirmation_budget;
    EXPECT_NEAR(search.confirmation_budget, 2, 1e-9);
    EXPECT_EQ(search.confirmed, 3U);
  }
  EXPECT_NEAR(searches, 60 - 2 * roofs, 1e-9) << "the measurement of the caches takes none of the time";
  EXPECT_NEAR(machine.now_, 100 + 20 + 60, 1.1 * machine.sample_seconds_);
}

TEST(MeasureRoofline, AShortBudgetLeavesOutAllButOneSampleOfEachRoofAndOneGemm) {
  FakeMachine machine;
  RooflineRequest request;
  request.time_budget = 0.1;
  request.triad_lengths = true;
  const roofline::Roofline found = measure(machine, request);
  EXPECT_THAT(machine.log_, ElementsAre("caches", testing::StartsWith("threads on"), "compute, seed 1, 1 of 5 rounds",
                                        "bandwidth, 1 of 3 rounds", "triad, 1 of 3 rounds", "dgemm of serial on 0"));
  EXPECT_NEAR(machine.searches_.at(0).time_budget + machine.searches_.at(0).confirmation_budget, 0.5, 1e-9);
  EXPECT_EQ(machine.searches_.at(0).confirmed, 0U) << "there is no time for fresh processes";
  EXPECT_EQ(found.compute.front().flops.samples.size(), 1U);
  EXPECT_THAT(found.findings, Contains("the time budget of 100 ms was too short for all samples of the roofs: they may be too low"));
  EXPECT_THAT(found.findings, Contains("no time was left for dgemm of parallel with 2 threads: a larger --time-budget searches it"));
  EXPECT_THAT(found.findings, Contains("no time was left for dgemm of parallel with 4 threads: a larger --time-budget searches it"));
}

TEST(MeasureRoofline, LeavesOutWhatIsNotAskedFor) {
  FakeMachine machine;
  RooflineRequest request;
  request.searches_gemm = false;
  request.threads = 1;
  request.streams = {machine::Stream::load, machine::Stream::triad};
  request.quick = true;
  const roofline::Roofline found = measure(machine, request);
  EXPECT_THAT(machine.log_,
              ElementsAre("caches", "threads on [0]", "compute, seed 1, 2 of 2 rounds", "bandwidth of load,triad, 2 of 2 rounds",
                          "threads on [0]", "compute, seed 2, 2 of 2 rounds", "bandwidth of load,triad, 2 of 2 rounds"));
  EXPECT_THAT(found.gemm, IsEmpty());
  EXPECT_THAT(found.options.streams, ElementsAre("load", "triad"));
}

TEST(MeasureRoofline, ReturnsWhatWasMeasuredUntilItWasCancelled) {
  FakeMachine machine;
  bool cancelled = false;
  machine.after_ = [&cancelled](const std::string& action) { cancelled = cancelled || action == "dgemm of serial on 0"; };
  RunContext context;
  context.cancelled = [&cancelled] { return cancelled; };
  RooflineRequest request;
  request.points = {"dgemm m=8 n=8 k=8"};
  const roofline::Roofline found = measure(machine, request, context);
  EXPECT_EQ(machine.log_.back(), "dgemm of serial on 0");
  EXPECT_EQ(found.gemm.size(), 1U);
  EXPECT_EQ(found.compute.front().flops.samples.size(), 5U);
  EXPECT_FALSE(found.peaks.empty());
  EXPECT_EQ(found.findings.back(), "interrupted: samples, roofs or points are missing");
}

TEST(MeasureRoofline, GivesUpIfItIsCancelledBeforeTheFirstGemmIsThere) {
  FakeMachine machine;
  machine.refused_ = {"serial"};
  bool cancelled = false;
  machine.after_ = [&cancelled](const std::string& action) { cancelled = cancelled || action == "dgemm of serial on 0"; };
  RunContext context;
  context.cancelled = [&cancelled] { return cancelled; };
  EXPECT_THROW(measure(machine, {}, context), Cancelled);
}

TEST(MeasureRoofline, ALibraryThatCannotHaveThreadsIsAFinding) {
  FakeMachine machine;
  machine.refused_ = {"parallel"};
  const roofline::Roofline found = measure(machine, {});
  EXPECT_EQ(found.gemm.size(), 1U);
  EXPECT_THAT(found.findings, Contains("parallel with 2 threads: it has one thread only"));
  machine.refused_ = {"serial"};
  EXPECT_THROW(measure(machine, {}), Error) << "without the first library nothing can be compared";
}

TEST(MeasureRoofline, CallsThatCannotBeTimedAreAFinding) {
  FakeMachine machine;
  machine.refused_ = {"one"};
  RooflineRequest request;
  request.searches_gemm = false;
  request.blas = {"one"};
  request.threads = 2;
  request.points = {"dgemm m=8 n=8 k=8"};
  const roofline::Roofline found = measure(machine, request);
  EXPECT_EQ(machine.log_.back(), "1 calls on 'one' with 2 threads");
  EXPECT_THAT(found.points, IsEmpty());
  EXPECT_THAT(found.findings, Contains("the calls of --point couldn't be timed: it can't be loaded"));
}

TEST(MeasureRoofline, SaysWhoChoseTheKernels) {
  FakeMachine machine;
  machine.kernels_ = {{"serial", {{{"CORETYPE", "Haswell"}}, false}}, {"parallel", {{{"CORETYPE", "Zen"}}, true}}};
  const roofline::Roofline found = measure(machine, {});
  EXPECT_EQ(found.gemm.front().setting, "CORETYPE=Haswell");
  EXPECT_THAT(found.findings,
              Contains(HasSubstr("serial was measured with CORETYPE=Haswell in the environment, which chooses its kernels")));
  EXPECT_THAT(found.findings, Contains(HasSubstr("parallel was measured with CORETYPE=Zen in the environment, as it was set")));
}

TEST(MeasureRoofline, SearchesStopAtAShareOfTheMeasuredCeiling) {
  FakeMachine machine;
  RooflineRequest request;
  request.stop_at = 0.5;
  request.threads = 2;
  measure(machine, request);
  ASSERT_EQ(machine.searches_.size(), 2U);
  EXPECT_DOUBLE_EQ(machine.searches_[0].stop_at_flops, 8e9);
  EXPECT_DOUBLE_EQ(machine.searches_[1].stop_at_flops, 16e9);
}

TEST(MeasureRoofline, KeepsTheEffectiveOptions) {
  FakeMachine machine;
  RooflineRequest request;
  request.m = {64, 128};
  request.n = {64};
  request.k = {32};
  request.quick = true;
  request.affinity = machine::Affinity::spread;
  const roofline::EffectiveOptions options = measure(machine, request).options;
  EXPECT_EQ(options.m, "64,128");
  EXPECT_EQ(options.n, "64");
  EXPECT_EQ(options.shapes, 2);
  EXPECT_EQ(options.affinity, "spread");
  EXPECT_EQ(options.time_budget, "60s");
  EXPECT_EQ(options.threads, 4);
  EXPECT_EQ(options.huge_pages, "never");
  EXPECT_EQ(options.kernels, "auto");
}

TEST(PlanRoofline, NamesTeamsAndSearchesAndMeasuresNothing) {
  FakeMachine machine;
  machine.topology_.hardware_threads = 8;
  const RooflinePlan plan = plan_roofline({}, machine);
  EXPECT_THAT(machine.log_, IsEmpty());
  ASSERT_EQ(plan.steps.size(), 6U);
  EXPECT_EQ(plan.steps[2], (RooflinePlan::Step{"4 threads", "CPU 0-3"}));
  EXPECT_EQ(plan.steps[3].subject, "dgemm of serial, 1 thread");
  EXPECT_THAT(plan.steps[3].method, HasSubstr("race over 48 shapes"));
  EXPECT_THAT(plan.findings, ElementsAre("this process may run on 4 of 8 hardware threads only"));
  EXPECT_EQ(roofline_plan_from_json(to_json(plan)), plan);
  EXPECT_EQ(tests::schema_violation(to_json(plan), std::array{roofline_plan_schema()}), "");
}

}  // namespace
}  // namespace flopcast
