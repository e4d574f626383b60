#include "flopcast/roofline/bandwidth_roofs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>

#include "flopcast/machine/caches/arena.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/roofline/compute_roofs.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::roofline {
namespace {

using machine::Arena;
using machine::BandwidthKernel;
using machine::StreamCost;
using machine::ThreadTeam;
using machine::WallClock;

constexpr std::int64_t max_arrays = 3;
/// A load waits for a store in flight whose address agrees with the load's in the last twelve bits ("4K aliasing"; Intel, Optimization
/// Reference Manual, on memory disambiguation). The first array is the one that is stored. Each further array begins a little later in its
/// page than the one before, so that a store is nearly a page old when a load's address agrees with it.
constexpr std::int64_t page_bytes = 4096, shift_bytes = 256;

std::int64_t array_distance(std::int64_t array_bytes) { return round_up(array_bytes, page_bytes) + shift_bytes; }

/// Memory of the threads, each part on its thread's memory node.
class TeamMemory {
 public:
  TeamMemory(ThreadTeam& team, std::int64_t bytes_per_thread) : arenas_(static_cast<std::size_t>(team.size())) {
    team.run([&](int thread) {
      auto& arena = arenas_[static_cast<std::size_t>(thread)];
      arena = std::make_unique<Arena>(bytes_per_thread);
      std::memset(arena->data(), 0, arena->bytes());
    });
  }
  [[nodiscard]] std::byte* of(int thread) const { return arenas_[static_cast<std::size_t>(thread)]->data(); }

 private:
  std::vector<std::unique_ptr<Arena>> arenas_;
};

/// A roof that is being measured.
struct TimedRoof {
  const BandwidthKernel* kernel = nullptr;
  ThreadTeam* team = nullptr;
  const TeamMemory* memory = nullptr;
  std::int64_t array_bytes = 0;  ///< bytes of each array of each thread
  bool in_cache = true;
  std::int64_t passes = 1;
  BandwidthRoof roof;

  void pass(int thread, std::int64_t count) const {
    std::byte* a = memory->of(thread);
    const std::int64_t distance = array_distance(array_bytes);
    kernel->run(a, a + distance, a + 2 * distance, array_bytes, count);
  }
  Seconds time(const WallClock& clock, std::int64_t count) const {
    const auto warm = [this](int thread) {
      if (in_cache) {
        pass(thread, 2);
      }
    };
    return team->time(clock, warm, [this, count](int thread) { pass(thread, count); });
  }
};

bool is_wanted(const BandwidthKernel& kernel, const BandwidthOptions& options) {
  const bool named = options.streams.empty() ||
                     std::find(options.streams.begin(), options.streams.end(), machine::name(kernel.stream)) != options.streams.end();
  return named && (options.nontemporal || !kernel.nontemporal);
}

TimedRoof subject(const BandwidthKernel& kernel, ThreadTeam& team, const TeamMemory& memory, const WorkingSet& set) {
  const StreamCost cost = machine::cost(kernel.stream);
  const double counted = cost.read_bytes + cost.written_bytes;
  TimedRoof subject{&kernel, &team, &memory, set.bytes_per_thread / cost.arrays / cache_line_bytes * cache_line_bytes, set.in_cache, 1, {}};
  BandwidthRoof& roof = subject.roof;
  roof.level = set.level;
  roof.stream = machine::name(kernel.stream);
  roof.nontemporal = kernel.nontemporal;
  roof.threads = team.size();
  roof.working_set_bytes = subject.array_bytes * cost.arrays * team.size();
  roof.flops_per_byte = cost.flops / counted;
  roof.moved_per_byte = kernel.nontemporal || set.innermost ? 1 : (counted + cost.allocated_bytes) / counted;
  return subject;
}

/// Adds a sample of the subject's rate. The time from the first start to the last end counts for all passes of all threads.
void sample(const WallClock& clock, TimedRoof& subject) {
  const StreamCost cost = machine::cost(subject.kernel->stream);
  const std::int64_t numbers = subject.array_bytes / static_cast<std::int64_t>(sizeof(double));
  const double elements = static_cast<double>(numbers) * subject.team->size() * static_cast<double>(subject.passes);
  subject.roof.bytes.samples.push_back(elements * (cost.read_bytes + cost.written_bytes) / subject.time(clock, subject.passes));
}

/// Returns the fastest working set of the triad's sweep in (low, high], or sqrt(low * high) if the sweep has no point there.
double fastest(const std::vector<machine::CurvePoint>& triad, double low, double high) {
  double best = std::sqrt(low * high), least = std::numeric_limits<double>::infinity();
  for (const machine::CurvePoint& point : triad) {
    if (point.x > low && point.x <= high && point.y < least) {
      best = point.x;
      least = point.y;
    }
  }
  return best;
}

int sharers(const std::vector<machine::ReportedCache>& reported, std::size_t level, int threads) {
  const auto found = std::find_if(reported.begin(), reported.end(), [level](const machine::ReportedCache& cache) {
    return static_cast<std::size_t>(cache.level) == level + 1;
  });
  return found == reported.end() ? 1 : std::clamp(found->cores, 1, threads);
}

std::int64_t max_team_bytes(const BandwidthOptions& options) {
  constexpr std::int64_t share_of_memory = 8;
  const std::int64_t share = measure::available_memory_bytes() / share_of_memory;
  return options.max_team_bytes > 0 ? std::min(options.max_team_bytes, share) : share;
}

/// Roofs that are measured together, and their memory.
class Subjects {
 public:
  /// Adds the wanted kernels on every working set.
  template <class Wanted>
  void add(ThreadTeam& team, const std::vector<WorkingSet>& sets, Wanted wanted) {
    std::int64_t largest = 0;
    for (const WorkingSet& set : sets) {
      largest = std::max(largest, set.bytes_per_thread);
    }
    memories_.push_back(std::make_unique<TeamMemory>(team, largest + max_arrays * (page_bytes + shift_bytes)));
    for (const WorkingSet& set : sets) {
      for (const BandwidthKernel& kernel : machine::bandwidth_kernels()) {
        if (wanted(kernel)) {
          subjects_.push_back(subject(kernel, team, *memories_.back(), set));
        }
      }
    }
  }

  /// Measures all roofs in every round, in random order, until `progress` returns false.
  std::vector<BandwidthRoof> measure(const WallClock& clock, const BandwidthOptions& options, const Progress& progress) {
    choose_passes(clock, options.sample);
    sample_in_rounds(subjects_.size(), options.rounds, options.seed, progress, [&](std::size_t i) { sample(clock, subjects_[i]); });
    std::vector<BandwidthRoof> roofs;
    for (TimedRoof& subject : subjects_) {
      if (!subject.roof.bytes.samples.empty()) {
        roofs.push_back(std::move(subject.roof));
      }
    }
    return roofs;
  }

 private:
  void choose_passes(const WallClock& clock, Seconds length) {
    for (TimedRoof& subject : subjects_) {
      if (subject.in_cache) {
        subject.passes = std::max<std::int64_t>(1, std::llround(length / std::max(subject.time(clock, 1), 1e-7)));
      }
    }
  }

  std::vector<std::unique_ptr<TeamMemory>> memories_;
  std::vector<TimedRoof> subjects_;
};

}  // namespace

std::vector<WorkingSet> working_sets(const machine::MachineMeasurement& machine, const std::vector<machine::ReportedCache>& reported,
                                     int threads, std::int64_t max_team_bytes) {
  constexpr double smallest = 8 * 1024;  // for smaller sets the start of a loop dominates the time
  constexpr double overflow = 3;         // ratio to the capacity of the level before, so that this level holds none of up to three arrays
  constexpr double filled = 0.7;         // usable share of a level's capacity: page colours and other data take the rest
  constexpr std::int64_t min_memory = std::int64_t{192} << 20U;
  const std::vector<CacheLevel>& levels = machine.hierarchy.levels;
  std::vector<WorkingSet> sets;
  double before = smallest / overflow;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const int shared_by = sharers(reported, i, threads);
    const double capacity = static_cast<double>(levels[i].capacity_bytes);
    const double high = std::max(filled * capacity, before), low = std::min(before * overflow, std::sqrt(before * high));
    const double bytes = std::clamp(fastest(machine.sweep.triad, low, high) / shared_by, low, high);
    sets.push_back({levels[i].name, static_cast<std::int64_t>(bytes), true, i == 0});
    before = capacity;
  }
  const std::int64_t beyond = levels.empty() ? min_memory : 3 * levels.back().capacity_high_bytes;
  sets.push_back({"memory", std::min(std::max(beyond, min_memory), max_team_bytes) / threads, false, false});
  return sets;
}

std::vector<BandwidthRoof> measure_bandwidth(const WallClock& clock, const std::vector<ThreadTeam*>& teams,
                                             const machine::MachineMeasurement& machine,
                                             const std::vector<machine::ReportedCache>& reported, const BandwidthOptions& options,
                                             const Progress& progress) {
  Subjects subjects;
  for (ThreadTeam* team : teams) {
    subjects.add(*team, working_sets(machine, reported, team->size(), max_team_bytes(options)),
                 [&](const BandwidthKernel& kernel) { return is_wanted(kernel, options); });
  }
  return subjects.measure(clock, options, progress);
}

void add_samples(std::vector<BandwidthRoof>& roofs, const std::vector<BandwidthRoof>& later) {
  const auto identity = [](const BandwidthRoof& roof) {  // identified by length without a level, else by level, whose length may vary with
                                                         // free memory
    return std::tuple(roof.name(), roof.threads, roof.level.empty() ? roof.working_set_bytes : 0);
  };
  for (const BandwidthRoof& more : later) {
    const auto same = std::find_if(roofs.begin(), roofs.end(), [&](const BandwidthRoof& roof) { return identity(roof) == identity(more); });
    if (same == roofs.end()) {
      roofs.push_back(more);
    } else {
      same->bytes.add(more.bytes);
    }
  }
}

std::vector<BandwidthRoof> measure_triad_lengths(const WallClock& clock, const std::vector<ThreadTeam*>& teams,
                                                 const BandwidthOptions& options, const Progress& progress) {
  Subjects subjects;
  for (ThreadTeam* team : teams) {
    std::vector<WorkingSet> sets;
    for (std::int64_t bytes = shortest_triad; bytes <= std::min(longest_triad, max_team_bytes(options)); bytes *= 2) {
      if (bytes / team->size() >= max_arrays * cache_line_bytes) {
        sets.push_back({"", bytes / team->size(), true, false});
      }
    }
    subjects.add(*team, sets, [](const BandwidthKernel& kernel) { return kernel.stream == machine::Stream::triad && !kernel.nontemporal; });
  }
  return subjects.measure(clock, options, progress);
}

}  // namespace flopcast::roofline
