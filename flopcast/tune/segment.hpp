#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/placement.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::tune {

/// A stretch of a trace that is measured in its context: calls [context, begin) are executed untimed to recreate caches and clock,
/// calls [begin, end) are timed one by one.
struct Segment {
  std::size_t context = 0, begin = 0, end = 0;
  friend bool operator==(const Segment&, const Segment&) = default;
};

struct SegmentOptions {
  std::size_t most_context_calls = 64;
  double context_share = 2.0;      ///< context may cost this many times the wanted call ...
  Seconds least_context = 500e-6;  ///< ... and this much in any case
  /// Shorter contexts are extended to this: so long code, address translations and branch history take to be as in the trace ...
  Seconds warm_up = 200e-6;
  /// ... and, where an operand lies in the last cache, that: which lines such a cache keeps depends on their being used again and again.
  Seconds far_warm_up = 4e-3;
  Seconds least_timed = 100e-6;       ///< short stretches go on until they take so long,
  std::size_t most_timed_calls = 32;  ///< or have so many calls
};

/// The segment that measures call `wanted`: its context goes back to the last access of each of its operands and to the last call of its
/// routine (whose code preparing operands has pushed out of the caches), as far as that is affordable. `costs`: what every call of the
/// trace is expected to take.
Segment segment_around(const Trace& trace, std::span<const Placement> placements, std::span<const Seconds> costs, std::size_t wanted,
                       const SegmentOptions& options = {});

/// The experiment that measures a segment: safe operands, every operand that the timed calls find untouched put where it lies in the trace,
/// then the context, then the timed calls.
measure::Experiment experiment(const Trace& trace, std::span<const Placement> placements, const Segment& segment,
                               const Environment& environment);

}  // namespace flopcast::tune
