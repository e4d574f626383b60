#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/machine/clock.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/machine/thread_team.hpp"
#include "flopcast/machine/topology.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// What each thread of a team works on so that it lies in one level.
struct WorkingSet {
  std::string level;
  std::int64_t bytes_per_thread = 0;
  bool in_cache = true;    ///< to be touched beforehand; memory isn't
  bool innermost = false;  ///< what is written is there already: nothing is read for it from further out
  friend bool operator==(const WorkingSet&, const WorkingSet&) = default;
};

/// Working sets for `threads` threads on what was measured of the caches: in each level the one at which the measured triad was fastest, of
/// those that neither the level before holds nor this one overflows; shared levels are divided among the threads. Memory: three times the
/// largest capacity that the last level may have, at least 192 MiB and at most `most_bytes`.
std::vector<WorkingSet> working_sets(const machine::MachineMeasurement& machine, const std::vector<machine::ReportedCache>& reported,
                                     int threads, std::int64_t most_bytes);

struct BandwidthOptions {
  int rounds = 3;         ///< samples of each roof, interleaved
  Seconds sample = 2e-3;  ///< length of a sample in a cache; in memory it is one pass
  std::uint64_t seed = 1;
  std::vector<std::string> streams;  ///< of machine::all_streams(); empty: all
  bool nontemporal = true;           ///< also with non-temporal stores
  std::int64_t most_bytes = 0;       ///< memory that the working sets of one team may take; 0, and at most: an eighth of what is available
};

/// Every stream in every level on every team, in random order in every round. Throws environment_error if memory is short.
std::vector<BandwidthRoof> measure_bandwidth(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                             const machine::MachineMeasurement& machine,
                                             const std::vector<machine::ReportedCache>& reported, const BandwidthOptions& options,
                                             const Progress& progress = {});

/// Adds the samples of a later measurement; roofs that weren't there are appended.
void add_samples(std::vector<BandwidthRoof>& roofs, const std::vector<BandwidthRoof>& later);

/// Paper 003, IV-B: the triad's three vectors together take 3 KiB, twice as much, and so on to 768 MiB.
inline constexpr std::int64_t shortest_triad = std::int64_t{3} * 1024, longest_triad = std::int64_t{768} << 20U;

/// The plain triad over vectors of those lengths, divided among each team's threads; none that takes more than `options` grants, or less
/// than a line per vector and thread. Throws environment_error if memory is short.
std::vector<BandwidthRoof> measure_triad_lengths(const machine::WallClock& clock, const std::vector<machine::ThreadTeam*>& teams,
                                                 const BandwidthOptions& options, const Progress& progress = {});

}  // namespace flopcast::roofline
