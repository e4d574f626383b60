#include "flopcast/tune/segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::tuning {
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

/// The largest rows that the pivots of an experiment may name, element by element: filled in, or found by a factorization.
class PivotRows {
 public:
  void fill(const Call& call) {
    set(call, Access::read, [](std::int64_t offset, std::int64_t count) { return offset + count; });
  }
  void execute(const Call& call) {
    const std::int64_t rows = sizes(call)[0];
    set(call, Access::write, [&](std::int64_t, std::int64_t) { return rows; });
  }
  /// Returns the number of rows below the first row of the matrix that a call swaps.
  static std::int64_t available(const Call& call) {
    const std::int64_t ld = call.arguments[2];
    const std::int64_t first = static_cast<std::int64_t>((call.address(1) - virtual_base(0)) / sizeof(double)) % ld;
    return ld - first;
  }
  /// Returns the last row that a call of laswp names.
  [[nodiscard]] std::int64_t last(const Call& call) const {
    std::int64_t row = 0;
    for (std::int64_t i = call.arguments[3]; i <= call.arguments[4]; ++i) {
      row = std::max(row, rows_.at(call.address(5) + static_cast<std::uintptr_t>(i - 1) * sizeof(std::int32_t)));
    }
    return row;
  }

 private:
  template <class Bound>
  void set(const Call& call, Access access, Bound bound) {
    for (const Operand& operand : operands(call)) {
      const Argument& argument = call.routine->arguments[operand.argument];
      if (argument.kind == Kind::pivots && argument.access == access) {
        const std::int64_t offset = argument.offset.empty() ? 0 : argument.offset.integer(call.values());
        const std::int64_t count = operand.bytes() / static_cast<std::int64_t>(sizeof(std::int32_t));
        for (std::int64_t i = 0; i < count; ++i) {
          rows_[call.address(operand.argument) + static_cast<std::uintptr_t>(offset + i) * sizeof(std::int32_t)] = bound(offset, count);
        }
      }
    }
  }
  std::map<std::uintptr_t, std::int64_t> rows_;
};

std::vector<Seconds> by_flops(const Trace& trace) {
  std::vector<Seconds> costs;
  for (const Call& call : trace.calls) {
    costs.push_back(flops(call) / 1e9);
  }
  return costs;
}

std::size_t count(const measure::Experiment& experiment, Action::What what) {
  return static_cast<std::size_t>(
      std::count_if(experiment.setup.begin(), experiment.setup.end(), [&](const Action& action) { return action.what == what; }));
}

TEST(SegmentAround, GoesBackToTheLastAccessOfEveryOperand) {
  const Recorded r = geqrf(640, 64);  // geqr2, larft, larfb; geqr2, larft, larfb; ...
  ASSERT_EQ(r.trace.calls[5].routine->family, "larfb");
  const TimedSegment segment = segment_around(r.trace, r.placements, by_flops(r.trace), 5);
  EXPECT_EQ(segment.context, 2U) << "C was last used by the larfb before";
  EXPECT_EQ(segment.begin, 3U);
  EXPECT_EQ(segment.end, 6U);
}

/// Recursive LU counts pivots first from the top of a part, and later from the top of the whole matrix.
TEST(SegmentExperiment, SwapsNoRowsBelowTheMatrix) {
  for (const char* variant : {"recursive", "3"}) {
    const Call call = kernel::parse_call(kernel::require("dgetrf"), {{"m", "300"}, {"n", "300"}, {"lda", "300"}});
    Recorded r{algorithm::record(call, algorithm::BlockParameters{16, 2, 0}, variant), {}};
    r.placements = cache::cache_state(r.trace, machine().caches, cache::Start::filled).placements;
    const std::vector<Seconds> costs = by_flops(r.trace);
    for (std::size_t wanted = 0; wanted < r.trace.calls.size(); ++wanted) {
      const TimedSegment segment = segment_around(r.trace, r.placements, costs, wanted);
      const measure::Experiment made = experiment(r.trace, r.placements, segment, machine());
      PivotRows pivots;
      const auto execute = [&](const Call& executed) {
        if (executed.routine->family == "laswp") {
          EXPECT_LE(pivots.last(executed), PivotRows::available(executed)) << to_string(executed);
        }
        pivots.execute(executed);
      };
      for (const Action& action : made.setup) {
        if (action.what == Action::What::fill) {
          pivots.fill(action.call);
        } else if (action.what == Action::What::execute) {
          execute(action.call);
        }
      }
      std::for_each(made.timed.begin(), made.timed.end(), execute);
    }
  }
}

TEST(SegmentAround, AtTheStartThereIsNoContext) {
  const Recorded r = geqrf(640, 64);
  const TimedSegment segment = segment_around(r.trace, r.placements, by_flops(r.trace), 0);
  EXPECT_EQ(segment.context, 0U);
  EXPECT_EQ(segment.begin, 0U);
  EXPECT_GE(segment.end, 1U);
}

TEST(SegmentAround, LeavesOutAContextThatCostsTooMuch) {
  const Recorded r = geqrf(640, 64);
  SegmentOptions options;
  options.context_share = 0.01;
  options.min_context = 0;
  const TimedSegment segment = segment_around(r.trace, r.placements, by_flops(r.trace), 5, options);
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
  ASSERT_EQ(count(e, Action::What::execute), 1U) << "at the start of the trace an earlier run warms the code up";
  const auto at = [&](Action::What what) {
    return std::find_if(e.setup.begin(), e.setup.end(), [what](const Action& action) { return action.what == what; });
  };
  EXPECT_LT(at(Action::What::execute), at(Action::What::flush));
}

Recorded potrf(std::int64_t n, std::int64_t nb) {
  const Call call = kernel::parse_call(kernel::require("dpotrf"), {{"uplo", "L"}, {"n", std::to_string(n)}});
  Recorded recorded{algorithm::record(call, algorithm::BlockParameters{nb, 2, 0}), {}};
  recorded.placements = cache::cache_state(recorded.trace, machine().caches, cache::Start::filled).placements;
  return recorded;
}

TEST(SegmentAround, GoesBackUntilAnOperandIsTouchedAsAWhole) {
  const Recorded r = potrf(640, 64);  // dsyrk, dpotrf2, dgemm, dtrsm; ...
  ASSERT_EQ(r.trace.calls[22].routine->name, "dgemm");
  SegmentOptions options;
  options.warm_up = 0;
  const TimedSegment segment = segment_around(r.trace, r.placements, by_flops(r.trace), 22, options);
  EXPECT_EQ(segment.context, 18U) << "the dtrsm before touches A's last columns only, the dgemm before that the others";
}

TEST(SegmentAround, ShortCallsRunInLonger) {
  const Recorded r = potrf(640, 16);
  const std::vector<Seconds> microseconds(r.trace.calls.size(), 1e-6);
  SegmentOptions options;
  options.warm_up = 20e-6;
  const TimedSegment segment = segment_around(r.trace, r.placements, microseconds, 101, options);
  EXPECT_LE(segment.context, 101U - 20U);
  EXPECT_LE(segment.begin, 101U);
  EXPECT_GE(segment.begin, segment.context + 20U);
}

TEST(SegmentAround, CallsOnTheLastCacheRunInLongest) {
  const auto run_in = [](std::int64_t n) {
    const Recorded r = potrf(n, 16);
    const std::vector<Seconds> microseconds(r.trace.calls.size(), 1e-6);
    const std::size_t wanted = r.trace.calls.size() / 2;
    SegmentOptions options;
    options.warm_up = 10e-6;
    options.far_warm_up = 40e-6;
    options.min_context = 0;
    return wanted - segment_around(r.trace, r.placements, microseconds, wanted, options).context;
  };
  EXPECT_GE(run_in(1600), 40U);
  EXPECT_LT(run_in(320), 40U) << "the matrix lies in L2";
}

TEST(SegmentExperiment, PlacesOperandsTouchedOnlyInPart) {
  const Recorded r = potrf(640, 64);
  const auto placed = [&](const TimedSegment& segment) {
    const measure::Experiment e = experiment(r.trace, r.placements, segment, machine());
    return count(e, Action::What::read) + count(e, Action::What::write) + count(e, Action::What::flush);
  };
  EXPECT_GT(placed({21, 22, 23}), placed({18, 22, 23})) << "A of the dgemm, after the dtrsm only and after the last dgemm";
}

}  // namespace
}  // namespace flopcast::tuning
