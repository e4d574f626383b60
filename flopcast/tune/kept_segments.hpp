#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/tune/segment.hpp"

/// Segments that the store keeps. Kernels take other times alone than between the calls of a routine, so that samples can be compared with
/// new times of the same calls in the same context only.
namespace flopcast::tuning {

/// A segment with the part of its trace that experiment() needs.
struct KeptSegment {
  Trace trace;
  std::vector<Placement> placements;  ///< one per call of the trace; those of calls that aren't timed may be empty
  TimedSegment segment;
  friend bool operator==(const KeptSegment&, const KeptSegment&) = default;
};

/// Returns the segment with its calls and the allocations that they use, at virtual addresses. One call before them stays if there is one: where a segment begins with its trace, experiment()
/// executes the segment twice.
KeptSegment cut(const Trace& trace, std::span<const Placement> placements, const TimedSegment& segment);

/// Keeps segments of this environment in the store, at most `max_per_kernel` per kernel. Random ones of a kernel make room for new ones. A
/// segment belongs to the kernel of the first call that it times.
void keep_segments(model::Store& store, const Environment& environment, std::span<const KeptSegment> segments,
                   std::size_t max_per_kernel = 32);

/// Returns the segments of this environment and its number of threads, in the order of kernels. Throws bad_input for a damaged one.
std::vector<KeptSegment> kept_segments(const model::Store& store, const Environment& environment);

}  // namespace flopcast::tuning
