#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/machine/caches/capacity_knees.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Duration and range of the sweeps.
struct SweepOptions {
  std::int64_t smallest_bytes = std::int64_t{4} * 1024;
  std::int64_t largest_bytes = 256LL * 1024 * 1024;  ///< reduced to an eighth of memory
  int triad_points_per_octave = 8;
  int chase_points_per_octave = 4;
  int rounds = 5;                   ///< times that each working set is measured; at least 3 within the time limit
  Seconds time_limit = 12;          ///< no further round of the triad, and no further point of the chase, begins after it
  Seconds time_per_point = 0.4e-3;  ///< minimum in each round
};
/// A coarser sweep that takes about a quarter of the time.
SweepOptions quick_sweep();

/// Cost of access to memory by working set.
struct CacheSweep {
  std::vector<CurvePoint> triad;           ///< working set in bytes, seconds per byte moved (24 bytes per element, as STREAM counts)
  std::vector<CurvePoint> chase;           ///< working set in bytes, seconds per access of a random cycle through all its lines
  std::vector<CurvePoint> parallel_chase;  ///< as chase, at eight places of that cycle at once: these accesses don't wait for each other
  bool huge_pages = false;                 ///< most of the memory lay in huge pages
  friend bool operator==(const CacheSweep&, const CacheSweep&) = default;
};

/// Progress: steps done and expected; return false to give up (the sweep then throws unusable_measurement).
using SweepProgress = std::function<bool(std::int64_t done, std::int64_t expected)>;

/// Measures on the calling thread. Throws environment_error if there is too little memory.
CacheSweep sweep_caches(const WallClock& clock, const SweepOptions& options, const SweepProgress& progress = {});

/// Returns working sets from `smallest` to `largest` bytes, evenly spread between powers of two, multiples of 192 (three operands of whole
/// lines).
std::vector<std::int64_t> working_sets(std::int64_t smallest, std::int64_t largest, int points_per_octave);

}  // namespace flopcast::machine
