#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/machine/caches/cache_levels.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/topology.hpp"

namespace flopcast::machine {

/// Share of one core's bandwidth that each of several cores gets while all stream at once (triad): 1 if they don't disturb each other.
struct BandwidthShare {
  int threads = 1;
  double cache = 1, memory = 1;  ///< share of the outermost cache's bandwidth; share of the memory's
  friend bool operator==(const BandwidthShare&, const BandwidthShare&) = default;
};

/// Measures the shares of two threads, four, eight, ... and `cores`, on a core of `places` each, in at most `max_team_bytes` of memory. Takes
/// some tens of milliseconds; returns nothing for one core. Throws environment_error if memory is short or threads can't be pinned.
std::vector<BandwidthShare> measure_bandwidth_shares(const WallClock& clock, const std::vector<CpuPlace>& places, int cores,
                                                     const MemoryHierarchy& hierarchy, std::int64_t max_team_bytes);

/// Expected share of `threads` threads. Between measured numbers of threads the sum of all threads' bandwidth lies on a straight line;
/// beyond them it stays constant. Without a measurement threads don't disturb each other. `measured` is ordered by rising numbers of
/// threads.
BandwidthShare share_of(const std::vector<BandwidthShare>& measured, int threads);

}  // namespace flopcast::machine
