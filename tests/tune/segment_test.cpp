#include "flopcast/tune/segment.hpp"

#include <gtest/gtest.h>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tune {
namespace {

using measure::Action;

Environment machine() {
  Environment environment;
  environment.caches = {{.name = "L1", .capacity_bytes = 48 << 10}, {.name = "L2", .capacity_bytes = 2 << 20}};
  return environment;
}

struct Recorded {
  Trace trace;
  std::vector<Placement> placements;
};

Recorded geqrf(std::int64_t n, std::int64_t nb) {
  const Call call = kernel::parse_call(kernel::require("dgeqrf"), {{"m", std::to_string(n)}, {"n", std::to_string(n)}});
  Recorded recorded{algorithm::record(call, algorithm::BlockParameters{nb, 2, nb}), {}};
  recorded.placements = cache::cache_state(recorded.trace, machine().caches, cache::Start::filled).placements;
  return recorded;
}

Seconds by_flops(const Call& call, const Placement& /*placement*/) { return flops(call) / 1e9; }

std::size_t count(const measure::Experiment& experiment, Action::What what) {
  return static_cast<std::size_t>(
      std::count_if(experiment.setup.begin(), experiment.setup.end(), [&](const Action& action) { return action.what == what; }));
}

TEST(SegmentAround, GoesBackToTheLastAccessOfEveryOperand) {
  const Recorded r = geqrf(640, 64);  // geqr2, larft, larfb; geqr2, larft, larfb; ...
  ASSERT_EQ(r.trace.calls[5].routine->family, "larfb");
  const Segment segment = segment_around(r.trace, r.placements, 5, by_flops);
  EXPECT_EQ(segment.context, 2U) << "C was last used by the larfb before";
  EXPECT_EQ(segment.begin, 3U);
  EXPECT_EQ(segment.end, 6U);
}

TEST(SegmentAround, AtTheStartThereIsNoContext) {
  const Recorded r = geqrf(640, 64);
  const Segment segment = segment_around(r.trace, r.placements, 0, by_flops);
  EXPECT_EQ(segment.context, 0U);
  EXPECT_EQ(segment.begin, 0U);
  EXPECT_GE(segment.end, 1U);
}

TEST(SegmentAround, LeavesOutAContextThatCostsTooMuch) {
  const Recorded r = geqrf(640, 64);
  SegmentOptions options;
  options.context_share = 0.01;
  options.least_context = 0;
  const Segment segment = segment_around(r.trace, r.placements, 5, by_flops, options);
  EXPECT_EQ(segment.begin, segment.context < 5 ? segment.context + 1 : 5);
  EXPECT_GT(segment.context, 2U);
}

TEST(SegmentExperiment, ExecutesTheContextAndTimesTheRest) {
  const Recorded r = geqrf(640, 64);
  const measure::Experiment e = experiment(r.trace, r.placements, {2, 3, 6}, machine());
  EXPECT_EQ(e.timed.size(), 3U);
  EXPECT_EQ(e.timed[2], r.trace.calls[5]);
  EXPECT_EQ(count(e, Action::What::execute), 1U);
  EXPECT_EQ(count(e, Action::What::fill), 4U);
  EXPECT_EQ(e.setup.back().what, Action::What::execute) << "the context comes right before the clock";
  EXPECT_EQ(e.memory, r.trace.allocations);
}

TEST(SegmentExperiment, PlacesWhatTheContextDoesNotTouch) {
  const Recorded r = geqrf(640, 64);
  const measure::Experiment e = experiment(r.trace, r.placements, {0, 0, 1}, machine());
  EXPECT_GE(count(e, Action::What::flush), 2U) << "A's panel, tau and work are put where they lie";
  EXPECT_EQ(count(e, Action::What::execute), 0U);
}

}  // namespace
}  // namespace flopcast::tune
