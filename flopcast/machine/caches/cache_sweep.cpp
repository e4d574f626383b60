#include "flopcast/machine/caches/cache_levels.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/caches/arena.hpp"
#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

constexpr int warm_passes = 2;
constexpr std::int64_t max_chase_steps = 50'000;
constexpr std::size_t chains = 8;  // of the parallel chase: registers hold them, and cores have at least ten misses under way
constexpr int fewest_rounds = 3;
constexpr double triad_share = 0.7;  // of the time limit
constexpr double typical = 0.25;     // quantile of the rounds: disturbances only make slower

/// Returns true if most of this process's memory lies in huge pages.
bool mostly_huge_pages(std::size_t bytes) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string label; file >> label;) {
    if (label == "AnonHugePages:") {
      std::size_t kibibytes = 0;
      return file >> kibibytes && kibibytes * 1024 > bytes / 2;
    }
  }
  return false;
}

/// Seconds per byte that the triad needs in steady state on a working set of `bytes`.
Seconds time_triad(const WallClock& clock, const BandwidthKernel& triad, const Arena& arena, std::int64_t bytes, Seconds at_least) {
  const std::int64_t part = bytes / triad_arrays;
  std::byte* a = arena.data();
  const auto passes_take = [&](std::int64_t passes) {
    const std::int64_t start = clock.ticks();
    triad.run(a, a + part, a + 2 * part, part, passes);
    return clock.seconds(clock.ticks() - start);
  };
  const Seconds warm = passes_take(warm_passes) / warm_passes;
  const auto passes = std::max<std::int64_t>(1, static_cast<std::int64_t>(at_least / std::max(warm, 1e-9)));
  return passes_take(passes) / static_cast<Seconds>(passes * bytes);
}

/// Writes a random cycle through all lines of the working set: each begins with the address of the next (Sattolo 1986).
void link_cycle(const Arena& arena, std::int64_t bytes, std::mt19937_64& random) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(bytes / cache_line_bytes));
  std::iota(next.begin(), next.end(), 0U);
  for (std::size_t i = next.size() - 1; i > 0; --i) {
    std::swap(next[i], next[random() % i]);
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    std::byte* target = arena.data() + static_cast<std::int64_t>(next[i]) * cache_line_bytes;
    std::memcpy(arena.data() + static_cast<std::int64_t>(i) * cache_line_bytes, &target, sizeof target);
  }
}

[[gnu::noinline]] const void* chase(const void* from, std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) {
    from = *static_cast<const void* const*>(from);
    asm volatile("" : "+r"(from));
  }
  return from;
}

/// Follows the cycle from several places at once; accesses of different chains don't wait for each other.
[[gnu::noinline]] void chase_in_parallel(std::array<const void*, chains>& from, std::int64_t steps) {
  std::array<const void*, chains> at = from;
  for (std::int64_t i = 0; i < steps; ++i) {
    for (const void*& one : at) {
      one = *static_cast<const void* const*>(one);
      asm volatile("" : "+r"(one));
    }
  }
  from = at;
}

/// Touches the working set in order, so that as much of it as fits lies in the caches.
void touch(const Arena& arena, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += cache_line_bytes) {
    asm volatile("" : : "r"(*reinterpret_cast<const std::uint64_t*>(arena.data() + at)));
  }
}

struct ChaseTimes {
  Seconds serial = 0, parallel = 0;  ///< per access
};

ChaseTimes time_chases(const WallClock& clock, const Arena& arena, std::int64_t bytes, int rounds, std::mt19937_64& random) {
  link_cycle(arena, bytes, random);
  const std::int64_t lines = bytes / cache_line_bytes;
  const std::int64_t steps = std::clamp<std::int64_t>(2 * lines, 20'000, max_chase_steps);
  const std::int64_t parallel_steps = steps / static_cast<std::int64_t>(chains);
  const void* at = arena.data();
  std::array<const void*, chains> places{};
  for (const void*& place : places) {
    place = arena.data() + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(lines)) * cache_line_bytes;
  }
  std::vector<Seconds> serial, parallel;
  const auto add = [&](std::vector<Seconds>& times, std::int64_t start, std::int64_t accesses) {
    times.push_back(clock.seconds(clock.ticks() - start) / static_cast<Seconds>(accesses));
  };
  touch(arena, bytes);
  at = chase(at, std::min(lines, max_chase_steps));
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t start = clock.ticks();
    at = chase(at, steps);
    add(serial, start, steps);
    const std::int64_t middle = clock.ticks();
    chase_in_parallel(places, parallel_steps);
    add(parallel, middle, parallel_steps * static_cast<std::int64_t>(chains));
  }
  return {quantile(serial, typical), quantile(parallel, typical)};
}

/// Counts steps for the caller of a sweep.
class Steps {
 public:
  Steps(const SweepProgress& progress, std::int64_t expected) : progress_(progress), expected_(expected) {}
  void advance() {
    ++done_;
    if (progress_ && !progress_(done_, expected_)) {
      throw unusable_measurement("the measurement of the caches is lost: it ended after {} of {} steps", done_, expected_);
    }
  }

 private:
  const SweepProgress& progress_;
  std::int64_t expected_, done_ = 0;
};

}  // namespace

SweepOptions quick_sweep() {
  SweepOptions options;
  options.triad_points_per_octave = 6;
  options.chase_points_per_octave = 2;
  options.rounds = 3;
  options.time_per_point = 0.2e-3;
  return options;
}

std::vector<std::int64_t> working_sets(std::int64_t smallest, std::int64_t largest, int points_per_octave) {
  constexpr std::int64_t granule = triad_arrays * cache_line_bytes;
  std::vector<std::int64_t> sizes;
  for (std::int64_t octave = smallest; octave <= largest; octave *= 2) {
    for (int i = 0; i < points_per_octave; ++i) {
      const std::int64_t bytes = (octave + octave * i / points_per_octave) / granule * granule;
      if (bytes >= granule && bytes <= largest && (sizes.empty() || bytes > sizes.back())) {
        sizes.push_back(bytes);
      }
    }
  }
  return sizes;
}

CacheSweep sweep_caches(const WallClock& clock, const SweepOptions& options, const SweepProgress& progress) {
  const std::int64_t memory = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  const std::int64_t largest = std::min(options.largest_bytes, memory / 8);
  const std::vector<std::int64_t> triad_sets = working_sets(options.smallest_bytes, largest, options.triad_points_per_octave);
  const std::vector<std::int64_t> chase_sets = working_sets(options.smallest_bytes, largest, options.chase_points_per_octave);
  const Arena arena(largest);
  std::memset(arena.data(), 0, arena.bytes());
  const BandwidthKernel& triad = bandwidth_kernel(Stream::triad);
  Steps steps(progress, static_cast<std::int64_t>(triad_sets.size()) * options.rounds + static_cast<std::int64_t>(chase_sets.size()));
  std::mt19937_64 random(1);

  // The order is random over several rounds, so that a disturbance hits single repetitions of many points rather than one part of the
  // curve.
  std::vector<std::vector<Seconds>> times(triad_sets.size());
  std::vector<std::size_t> order(triad_sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::int64_t start = clock.ticks();
  const auto elapsed = [&] { return clock.seconds(clock.ticks() - start); };
  for (int round = 0; round < options.rounds && (round < fewest_rounds || elapsed() < triad_share * options.time_limit); ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      times[i].push_back(time_triad(clock, triad, arena, triad_sets[i], options.time_per_point));
      steps.advance();
    }
  }
  CacheSweep sweep;
  for (std::size_t i = 0; i < triad_sets.size(); ++i) {
    sweep.triad.push_back({static_cast<double>(triad_sets[i]), quantile(times[i], typical)});
  }
  for (const std::int64_t bytes : chase_sets) {
    if (elapsed() > options.time_limit) {
      break;
    }
    const ChaseTimes chased = time_chases(clock, arena, bytes, options.rounds, random);
    sweep.chase.push_back({static_cast<double>(bytes), chased.serial});
    sweep.parallel_chase.push_back({static_cast<double>(bytes), chased.parallel});
    steps.advance();
  }
  sweep.huge_pages = mostly_huge_pages(arena.bytes());
  return sweep;
}

}  // namespace flopcast::machine
