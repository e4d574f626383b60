#include "flopcast/machine/caches/shared_bandwidth.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/caches/arena.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/cpu/thread_team.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::machine {
namespace {

/// A triad of each thread on its own memory.
class Triads {
 public:
  Triads(const WallClock& clock, ThreadTeam& team, std::int64_t bytes_per_thread)
      : clock_(clock),
        team_(team),
        part_(bytes_per_thread / triad_arrays / cache_line_bytes * cache_line_bytes),
        arenas_(static_cast<std::size_t>(team.size())) {
    team.run([&](int thread) {
      auto& arena = arenas_[static_cast<std::size_t>(thread)];
      arena = std::make_unique<Arena>(bytes_per_thread);
      std::memset(arena->data(), 0, arena->bytes());
    });
  }

  /// One thread's time divided by the time of all, each with its own share of `bytes_per_thread` and `passes` over it. With `in_cache` an
  /// untimed pass comes first. One thread alone goes over its own memory, or over everybody's if its own might fit into the cache.
  [[nodiscard]] double share(std::int64_t bytes_per_thread, bool in_cache, std::int64_t passes) const {
    constexpr int rounds = 9;
    constexpr double typical = 0.25;  // quantile: disturbances only make slower
    const std::int64_t part = std::min(part_, bytes_per_thread / triad_arrays / cache_line_bytes * cache_line_bytes);
    std::vector<Seconds> times_alone, times_together;
    for (int round = 0; round < rounds; ++round) {
      const auto warm = [&](int thread) {
        if (in_cache) {
          run(thread, part, 1);
        }
      };
      times_together.push_back(team_.time(clock_, warm, [&](int thread) { run(thread, part, passes); }));
      team_.run([&](int thread) {
        if (thread == 0) {
          warm(0);
          const std::int64_t begin = clock_.ticks();
          for (int arena = 0; arena < (in_cache ? 1 : team_.size()); ++arena) {
            run(arena, part, passes);
          }
          times_alone.push_back(clock_.seconds(clock_.ticks() - begin) / (in_cache ? 1 : team_.size()));
        }
      });
    }
    const double share = quantile(times_alone, typical) / quantile(times_together, typical);
    return std::clamp(share, 1.0 / team_.size(), 1.0);  // together they move no less than one alone; a smaller share is a disturbance
  }

 private:
  void run(int arena, std::int64_t part, std::int64_t passes) const {
    std::byte* const a = arenas_[static_cast<std::size_t>(arena)]->data();
    triad_.run(a, a + part, a + 2 * part, part, passes);
  }

  const WallClock& clock_;
  ThreadTeam& team_;
  const BandwidthKernel& triad_ = bandwidth_kernel(Stream::triad);
  std::int64_t part_;  ///< bytes of one operand of one thread, at most
  std::vector<std::unique_ptr<Arena>> arenas_;
};

BandwidthShare measure_share(const WallClock& clock, const std::vector<CpuPlace>& places, int threads, const MemoryHierarchy& hierarchy,
                             std::int64_t max_team_bytes) {
  constexpr std::int64_t min_memory = std::int64_t{64} << 20U;
  constexpr double overflow = 2, filled = 0.5;  // of the private caches, and of the outermost one
  const std::vector<CacheLevel>& levels = hierarchy.levels;
  const std::int64_t beyond = levels.empty() ? 0 : 2 * levels.back().capacity_high_bytes;
  const std::int64_t bytes_per_thread = std::min(std::max(beyond, min_memory), max_team_bytes) / threads;
  ThreadTeam team(choose_cpus(places, threads, Affinity::close));
  const Triads triads(clock, team, bytes_per_thread);
  BandwidthShare found{threads, 1, triads.share(bytes_per_thread, false, 1)};
  if (levels.size() > 1) {
    const double inside = filled * static_cast<double>(levels.back().capacity_bytes) / threads;
    const double private_caches = overflow * static_cast<double>(levels[levels.size() - 2].capacity_bytes);
    if (inside > private_caches && inside <= static_cast<double>(bytes_per_thread)) {
      constexpr std::int64_t passes = 8;
      found.cache = triads.share(static_cast<std::int64_t>(inside), true, passes);
    }
  }
  return found;
}

}  // namespace

std::vector<BandwidthShare> measure_bandwidth_shares(const WallClock& clock, const std::vector<CpuPlace>& places, int cores,
                                                     const MemoryHierarchy& hierarchy, std::int64_t max_team_bytes) {
  std::vector<BandwidthShare> all;
  for (int threads = 2; threads <= cores; threads = threads < cores ? std::min(2 * threads, cores) : cores + 1) {
    all.push_back(measure_share(clock, places, threads, hierarchy, max_team_bytes));
  }
  return all;
}

BandwidthShare share_of(const std::vector<BandwidthShare>& measured, int threads) {
  BandwidthShare before;
  for (const BandwidthShare& after : measured) {
    if (threads <= after.threads) {
      const double way =
          after.threads == before.threads ? 1 : static_cast<double>(threads - before.threads) / (after.threads - before.threads);
      const auto between = [&](double BandwidthShare::*level) {
        const double first = before.threads * before.*level, last = after.threads * after.*level;
        return (first + way * (last - first)) / threads;
      };
      return {threads, between(&BandwidthShare::cache), between(&BandwidthShare::memory)};
    }
    before = after;
  }
  const double spread = measured.empty() ? 1 : static_cast<double>(before.threads) / threads;
  return {threads, spread * before.cache, spread * before.memory};
}

}  // namespace flopcast::machine
