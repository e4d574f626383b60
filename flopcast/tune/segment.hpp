#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::tuning {

/// A segment of a trace that is measured in its context: calls [context, begin) are executed untimed to recreate caches and clock,
/// calls [begin, end) are timed one by one.
struct TimedSegment {
  std::size_t context = 0, begin = 0, end = 0;
  friend bool operator==(const TimedSegment&, const TimedSegment&) = default;
};

struct SegmentOptions {
  std::size_t max_context_calls = 64;
  double context_share = 2.0;    ///< the context may take this many times as long as the wanted call ...
  Seconds min_context = 500e-6;  ///< ... and this long in any case
  /// Minimum length of a context, the time after which code, address translations and branch history are as in the trace ...
  Seconds warm_up = 200e-6;
  /// ... and minimum length if an operand lies in the last cache, whose replacement depends on repeated use.
  Seconds far_warm_up = 4e-3;
  Seconds min_timed = 100e-6;        ///< short segments are extended until they take this long
  std::size_t max_timed_calls = 32;  ///< or have this many calls
};

/// Returns the segment that measures call `wanted`. As far as the limits allow, its context goes back to the last access of each operand and
/// to the last call of the same routine, whose code was evicted while operands were prepared. `costs` are the expected times of all calls of
/// the trace.
TimedSegment segment_around(const Trace& trace, std::span<const Placement> placements, std::span<const Seconds> costs, std::size_t wanted,
                            const SegmentOptions& options = {});

/// Returns the experiment that measures a segment. Safe operands are filled, and operands that the context doesn't touch are placed in the
/// cache level that they have in the trace. The context is executed, and the timed calls follow.
measure::Experiment experiment(const Trace& trace, std::span<const Placement> placements, const TimedSegment& segment,
                               const Environment& environment);

}  // namespace flopcast::tuning
