#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/thread_team.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {

/// Memory that each thread of a team works on, chosen so that it lies in one level.
struct WorkingSet {
  std::string level;
  std::int64_t bytes_per_thread = 0;
  bool in_cache = true;    ///< touch the memory beforehand; false for main memory
  bool innermost = false;  ///< stores find their lines in this level, so that no outer level is read for them
  friend bool operator==(const WorkingSet&, const WorkingSet&) = default;
};

/// Returns the working sets for `threads` threads from the measured caches. For each level it is the set at which the measured triad was
/// fastest, among those too large for the level before and small enough for this one. Shared levels are divided among the threads. The set
/// in memory is three times the largest possible capacity of the last level, at least 192 MiB and at most `max_team_bytes`.
std::vector<WorkingSet> working_sets(const machine::MachineMeasurement& machine, const std::vector<machine::ReportedCache>& reported,
                                     int threads, std::int64_t max_team_bytes);

struct BandwidthOptions {
  int rounds = 3;         ///< samples of each roof, interleaved
  Seconds sample = 2e-3;  ///< length of a sample in a cache; in memory it is one pass
  std::uint64_t seed = 1;
  std::vector<std::string> streams;  ///< names of machine::Stream; empty: all
  bool nontemporal = true;           ///< also measure non-temporal stores
  std::int64_t max_team_bytes =
      0;  ///< maximum memory of one team's working sets, at most an eighth of the available memory; 0: that eighth
};

/// Measures every stream in every level on every team, in random order in every round. If `progress` returns false, the samples until then
/// are returned. Throws environment_error if memory is short.
std::vector<BandwidthRoof> measure_bandwidth(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                             const machine::MachineMeasurement& machine,
                                             const std::vector<machine::ReportedCache>& reported, const BandwidthOptions& options,
                                             const Progress& progress = {});

/// Adds the samples of a later measurement and appends its new roofs.
void add_samples(std::vector<BandwidthRoof>& roofs, const std::vector<BandwidthRoof>& later);

/// Total length of the triad's three vectors in Tørring et al. 2021, IV-B: 3 KiB, doubled up to 768 MiB.
inline constexpr std::int64_t shortest_triad = std::int64_t{3} * 1024, longest_triad = std::int64_t{768} << 20U;

/// Measures the plain triad over vectors of the lengths from shortest_triad to longest_triad, divided among each team's threads. Lengths
/// above the limit in `options`, or below a line per vector and thread, are skipped. Throws environment_error if memory is short.
std::vector<BandwidthRoof> measure_triad_lengths(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                                 const BandwidthOptions& options, const Progress& progress = {});

}  // namespace flopcast::roofline
