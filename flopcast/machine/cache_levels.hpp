#pragma once

#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cache_sweep.hpp"
#include "flopcast/machine/knees.hpp"
#include "flopcast/machine/topology.hpp"

namespace flopcast::machine {

/// Where the cost of each access pattern rises because a level is full: bytes, 0 where the pattern shows no such rise. Elastic levels, of
/// which a virtual machine gets more or less, give each pattern another capacity.
struct PatternCapacities {
  std::int64_t stream = 0, parallel_chase = 0, serial_chase = 0;
  friend bool operator==(const PatternCapacities&, const PatternCapacities&) = default;
};

/// The memory hierarchy as one core sees it.
struct MemoryHierarchy {
  std::vector<CacheLevel> levels;           ///< from L1 outwards
  std::vector<PatternCapacities> patterns;  ///< of each level; empty if measured by a version that didn't tell them apart
  double memory_bandwidth = 0;              ///< triad, bytes per second
  Seconds memory_latency = 0;               ///< of a serial pointer chase
};

/// Levels from what a sweep shows, beside what the system reports.
///
/// A level is a knee of the triad, or, while there are fewer than the system reports, one of both chases that the triad doesn't see. Knees
/// that less than double the cost of every pattern count only as far as the system reports so many levels: a stream hardly notices the end
/// of an L2 behind which it is prefetched from L3 (1.2 to 1.3 times on a Zen 4, the chases 2.5 times). The capacity of all but the last
/// level is the geometric mean of the triad's knee and the chase's, where the two agree within a factor of two, else that of the steeper
/// one; that of the last level, which others share, is the triad's, as LAPACK streams; the interval spans these and the parallel chase. A
/// sweep without knees gives no level.
MemoryHierarchy cache_levels(const CacheSweep& sweep, std::span<const ReportedCache> reported);

/// For every knee of `first` the index of its partner in `second`, -1 if it has none: pairs in order, as many as there can be with partners
/// at most a factor of `widest` apart, of these with the least sum of distances (logarithmic).
std::vector<int> pair_knees(std::span<const Knee> first, std::span<const Knee> second, double widest);

}  // namespace flopcast::machine
