#include "flopcast/preload/mpi/losses.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/call_sites.hpp"
#include "flopcast/preload/mpi/process_values.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"

namespace flopcast::preload::mpi {
namespace {

constexpr int loads_tag = 8;
constexpr int waits_tag = 9;
constexpr int bins_tag = 10;
constexpr int events_tag = 11;

}  // namespace

std::vector<MpiWaiting> collect_waits(MPI_Comm world, const Waits& mine, const RegionNames& regions) {
  struct WaitRecord {
    int rank = 0;
    WaitPlace place;
    Waits::Sum sum;
    std::array<char, 120> site{};  ///< ends with a zero
  };
  std::vector<WaitRecord> own;
  for (const auto& [place, sum] : mine.longest_places(MpiProfile::max_waits)) {
    WaitRecord& record = own.emplace_back(WaitRecord{rank_in(world), place, sum, {}});
    call_site(place.site).copy(record.site.data(), record.site.size() - 1);
  }
  std::vector<MpiWaiting> all;
  const auto add = [&](const WaitRecord& record) {
    const auto& [routine, awaited, kind, region, site] = record.place;
    all.push_back({record.rank, awaited == Wait::nobody ? std::nullopt : std::optional<int>(awaited), kind,
                   routine < routine_names.size() ? routine_names[routine] : "", region == 0 ? "" : regions.name(region),
                   record.site.data(), record.sum.count, record.sum.seconds});
  };
  std::for_each(own.begin(), own.end(), add);
  collect(world, waits_tag, own, add);
  keep_longest(all);
  return all;
}

std::vector<MpiRegion> collect_region_loads(MPI_Comm world, const std::vector<RegionLoad>& mine, const RegionNames& regions) {
  struct Load {
    Seconds longest = 0;
    std::vector<Seconds> useful;  ///< one time per process, in any order
  };
  std::map<std::uint32_t, Load> loads;
  const auto add = [&loads](const RegionLoad& load) {
    Load& all = loads[load.region];
    all.longest = std::max(all.longest, load.time);
    all.useful.push_back(load.useful);
  };
  std::for_each(mine.begin(), mine.end(), add);
  collect(world, loads_tag, mine, add);
  std::vector<MpiRegion> found;
  for (auto& [region, load] : loads) {
    load.useful.resize(static_cast<std::size_t>(processes_in(world)));  // the others didn't enter it
    if (const std::optional<MpiEfficiencies> efficiencies = pop_efficiencies(load.useful, load.longest)) {
      found.push_back({regions.name(region), *efficiencies});
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const MpiRegion& a, const MpiRegion& b) { return a.efficiencies.run > b.efficiencies.run; });
  return found;
}

std::optional<MpiTimeline> collect_timelines(MPI_Comm world, TimelineBins* mine, Seconds end) {
  if (mine == nullptr) {
    return std::nullopt;
  }
  struct RankedBins {
    int rank = 0;
    TimelineBins bins;
  };
  const int rank = rank_in(world), size = processes_in(world);
  struct TableExtent {
    double width, end;
  };
  const TableExtent extent = of_all(world, TableExtent{mine->width(), end}, MPI_MAX);
  mine->widen_to(extent.width);
  const int stride = (size + MpiTimeline::max_processes - 1) / MpiTimeline::max_processes;
  PageVector<RankedBins> own;
  if (rank % stride == 0) {
    own.push_back({rank, *mine});
  }
  MpiTimeline found;
  found.bin = extent.width;
  const auto used = static_cast<std::size_t>(std::ceil(extent.end / extent.width));
  const auto add = [&](const RankedBins& ranked) {
    found.processes.push_back(ranked.bins.timeline(ranked.rank, std::min(used, TimelineBins::max_bins)));
  };
  std::for_each(own.begin(), own.end(), add);
  collect(world, bins_tag, own, add);
  return found;
}

void collect_events(MPI_Comm world, PathLedger& ledger, selective::KernelTable& kernels, const RegionNames& regions, std::size_t max_events,
                    MpiTimeline& timeline) {
  const auto processes = static_cast<std::size_t>(processes_in(world));
  if (max_events < 2 * processes) {
    return;
  }
  /// An event with everything that rank 0 needs for its name.
  struct NamedEvent {
    int rank = 0;
    bool is_path = false;
    Seconds begin = 0, seconds = 0;
    selective::KernelKey key;
  };
  std::vector<NamedEvent> own;
  for (TimelineEvents* events : {&ledger.events(), &ledger.path_parts()}) {
    events->thin_to(max_events / processes / 2);
    const bool is_path = events == &ledger.path_parts();
    for (const auto& [begin, seconds, what] : events->all()) {
      const bool is_call = (what & TimelineEvent::call_bit) != 0;
      const selective::KernelKey call = {.kind = selective::KernelKind::communication, .routine = what & ~TimelineEvent::call_bit};
      own.push_back({rank_in(world), is_path, begin, static_cast<Seconds>(seconds), is_call || is_path ? call : kernels[what].key});
    }
  }
  const auto add = [&](const NamedEvent& event) {
    const bool is_call = event.key.kind == selective::KernelKind::communication;
    const std::string name = event.is_path ? "critical path" : is_call ? routine_of(event.key, regions) : kernel_name(event.key, regions);
    timeline.events.push_back(
        {event.rank, name, event.is_path ? "path" : nlohmann::json(event.key.kind).get<std::string>(), event.begin, event.seconds});
  };
  std::for_each(own.begin(), own.end(), add);
  collect(world, events_tag, own, add);
  struct Omitted {
    double events;
  };
  timeline.omitted_events = of_all(world, Omitted{static_cast<double>(ledger.events().omitted())}, MPI_SUM).events;
}

}  // namespace flopcast::preload::mpi
