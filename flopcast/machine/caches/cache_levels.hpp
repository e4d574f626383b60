#pragma once

#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/caches/cache_sweep.hpp"
#include "flopcast/machine/caches/capacity_knees.hpp"
#include "flopcast/machine/cpu/topology.hpp"

namespace flopcast::machine {

/// Working sets in bytes at which the cost of each access pattern rises because a level is full; 0 where the pattern shows no such rise. An
/// elastic level, whose share for a virtual machine varies, has another capacity for each pattern.
struct PatternCapacities {
  std::int64_t stream = 0, parallel_chase = 0, serial_chase = 0;
  friend bool operator==(const PatternCapacities&, const PatternCapacities&) = default;
};

/// The memory hierarchy as one core sees it.
struct MemoryHierarchy {
  std::vector<CacheLevel> levels;           ///< from L1 outwards
  std::vector<PatternCapacities> patterns;  ///< one per level; empty if an earlier version measured them
  double memory_bandwidth = 0;              ///< triad, bytes per second
  Seconds memory_latency = 0;               ///< latency of a serial pointer chase; 0: not measured
  friend bool operator==(const MemoryHierarchy&, const MemoryHierarchy&) = default;
};

/// Returns the levels that a sweep shows, compared with the levels that the system reports.
///
/// A knee of the triad is a level. While there are fewer of them than the system reports, a knee of both chases that the triad doesn't show
/// is a level, too. Knees that less than double the cost of every pattern count only up to the number of levels that the system reports.
/// The reason: a stream hardly notices the end of an L2 behind which it is prefetched from L3 (1.2 to 1.3 times on a Zen 4, the chases 2.5
/// times).
///
/// The capacity of each level but the last is the geometric mean of the triad's knee and the chase's if the two agree within a factor of
/// two. Otherwise the capacity is that of the steeper knee. The last level, which others share, has the triad's capacity, because LAPACK
/// streams. The interval spans these and the parallel chase. A sweep without knees gives no level.
MemoryHierarchy cache_levels(const CacheSweep& sweep, std::span<const ReportedCache> reported);

/// Returns for every knee of `first` the index of its partner in `second`, -1 if it has none. Pairs are in order, and the partners are at
/// most a factor of `widest` apart. There are as many pairs as possible, with the least sum of (logarithmic) distances.
std::vector<int> pair_knees(std::span<const Knee> first, std::span<const Knee> second, double widest);

}  // namespace flopcast::machine
