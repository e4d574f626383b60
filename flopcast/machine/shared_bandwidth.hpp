#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/machine/affinity.hpp"
#include "flopcast/machine/cache_levels.hpp"
#include "flopcast/machine/clock.hpp"

namespace flopcast::machine {

/// What each of several cores gets of the bandwidth that one has alone, while all stream at once (triad): 1 if they don't disturb each other.
struct BandwidthShare {
  int threads = 1;
  double cache = 1, memory = 1;  ///< of the outermost cache; of memory
  friend bool operator==(const BandwidthShare&, const BandwidthShare&) = default;
};

void to_json(nlohmann::json& json, const BandwidthShare& share);
void from_json(const nlohmann::json& json, BandwidthShare& share);

/// Measures it for two threads, four, eight, ... and `cores`, on a core of `places` each, in `most_bytes` of memory at most: some tens of
/// milliseconds. Nothing for one core. Throws environment_error if memory is short or threads can't be pinned.
std::vector<BandwidthShare> measure_bandwidth_shares(const WallClock& clock, const std::vector<CpuPlace>& places, int cores,
                                                     const MemoryHierarchy& hierarchy, std::int64_t most_bytes);

/// What is to be expected of so many threads, between those that were measured: what all of them move together lies on a straight line; beyond
/// them it stays what it is. Without a measurement they don't disturb each other. `measured` by rising numbers of threads.
BandwidthShare share_of(const std::vector<BandwidthShare>& measured, int threads);

}  // namespace flopcast::machine
