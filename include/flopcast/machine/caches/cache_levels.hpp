#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Largest number of cache levels that predictions tell apart.
inline constexpr std::size_t max_cache_levels = 4;

/// One point of a measured curve; both coordinates positive.
struct CurvePoint {
  double x = 0, y = 0;
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

/// A rise of a curve from one plateau to the next.
struct Knee {
  double position = 0;  ///< largest x of the curve at which at least half of the cost's rise still lies ahead
  double low = 0,
         high = 0;  ///< 5 % quantile of the resampled ends of the lower plateau and 95 % quantile of the beginnings of the next one
  double before = 0, after = 0;  ///< heights of the two plateaus
  friend bool operator==(const Knee&, const Knee&) = default;
};

/// Options of splitting a curve into plateaus.
struct KneeOptions {
  double noise_floor = 0.04;     ///< relative scatter below which differences mean nothing
  double smallest_step = 1.3;    ///< least ratio of plateaus that counts as a knee
  int shortest_plateau = 3;      ///< points
  double narrowest_plateau = 2;  ///< ratio of x from begin to end; the first and the last plateau may be cut off by the curve's ends
  double longest_rise = 8;       ///< ratio of x from the end of a plateau to the start of the next
  int resamples = 100;           ///< for the interval
  std::uint64_t seed = 1;        ///< seed of the resampling
};

/// Returns the knees of a rising curve, which is given by increasing x. In log-log coordinates the curve is taken as plateaus joined by
/// straight rises. Their number and places minimise the truncated squared residuals plus a penalty per plateau (Bayesian information
/// criterion), by dynamic programming over all pairs of ends. A wide rise means that the resource behind it is elastic: there is no size at
/// which it ends all at once. Throws bad_input if x doesn't increase or a coordinate isn't positive and finite.
std::vector<Knee> find_knees(std::span<const CurvePoint> curve, const KneeOptions& options = {});

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
  std::vector<CurvePoint> parallel_chase;  ///< eight such chases at once, whose accesses don't wait for each other
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

/// Working sets in bytes at which the cost of each access pattern rises because a level is full; 0 where the pattern shows no such rise. An
/// elastic level, whose share for a virtual machine varies, has another capacity for each pattern.
struct PatternCapacities {
  std::int64_t stream = 0, parallel_chase = 0, serial_chase = 0;
  friend bool operator==(const PatternCapacities&, const PatternCapacities&) = default;
};

/// The memory hierarchy as one core sees it.
struct MemoryHierarchy {
  std::vector<CacheLevel> levels;           ///< L1 first
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
/// streams. The interval spans these and the parallel chase. A sweep without knees gives no level, and one with more than max_cache_levels
/// joins the weakest ones to their neighbours: a busy machine bends curves in other places.
MemoryHierarchy cache_levels(const CacheSweep& sweep, std::span<const ReportedCache> reported);

/// Returns for every knee of `first` the index of its partner in `second`, -1 if it has none. Pairs are in order, and the partners are at
/// most a factor of `widest` apart. There are as many pairs as possible, with the least sum of (logarithmic) distances.
std::vector<int> pair_knees(std::span<const Knee> first, std::span<const Knee> second, double widest);

}  // namespace flopcast::machine
