#include "flopcast/machine/cpu/clock.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/simultaneous_readings.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace flopcast::machine {
namespace {

constexpr int operations_per_block = 64;

#if defined(__x86_64__)
constexpr double cycles_per_operation = 3;  // imul r64, r64: Intel since Nehalem, AMD since Zen (uops.info)

std::uint64_t run_block(std::uint64_t value) noexcept {
  asm volatile(".rept 64\n\timul %0, %0\n\t.endr" : "+r"(value));
  return value;
}

std::int64_t read_counter() noexcept { return static_cast<std::int64_t>(__rdtsc()); }
#else
constexpr double cycles_per_operation = 1;

#if defined(__aarch64__)
std::uint64_t run_block(std::uint64_t value) noexcept {
  asm volatile(".rept 64\n\tadd %0, %0, %0\n\t.endr" : "+r"(value));
  return value;
}
#else
std::uint64_t run_block(std::uint64_t value) noexcept {
  for (int i = 0; i < operations_per_block; ++i) {
    value += value;
    asm volatile("" : "+r"(value));  // keeps the compiler from summing up
  }
  return value;
}
#endif

std::int64_t read_counter() noexcept { return 0; }
#endif

/// Counter and monotonic time (ns) at one moment.
std::pair<std::int64_t, std::int64_t> count_and_time() noexcept { return simultaneous_readings(read_counter, monotonic_nanoseconds); }

template <class Read>
ClockQuality quality_of(Read read) {
  constexpr int readings = 2000;
  std::vector<Seconds> differences;
  Seconds smallest = std::numeric_limits<Seconds>::infinity();
  for (int i = 0; i < readings; ++i) {
    const Seconds before = read();
    const Seconds difference = read() - before;
    differences.push_back(difference);
    if (difference > 0) {
      smallest = std::min(smallest, difference);
    }
  }
  return {smallest, median(differences)};
}

}  // namespace

#if defined(__x86_64__)
bool has_invariant_counter() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & (1U << 8U)) != 0;
}
#else
bool has_invariant_counter() noexcept { return false; }
#endif

WallClock::WallClock(Seconds calibration) : counter_(has_invariant_counter()) {
  if (!counter_) {
    return;
  }
  constexpr Seconds least = 1e-5;
  static const std::pair<std::int64_t, std::int64_t> first = count_and_time();
  const auto [first_count, first_time] = first;
  while (static_cast<Seconds>(monotonic_nanoseconds() - first_time) < std::max(calibration, least) * 1e9) {
  }
  const auto [last_count, last_time] = count_and_time();
  seconds_per_tick_ = 1e-9 * static_cast<Seconds>(last_time - first_time) / static_cast<Seconds>(last_count - first_count);
}

ClockQuality quality(const WallClock& clock) {
  const std::int64_t start = clock.ticks();
  ClockQuality result = quality_of([&] { return clock.seconds(clock.ticks() - start); });
  // The counter counts each tick, though a reading takes longer than one.
  result.resolution = clock.uses_counter() ? 1 / clock.ticks_per_second() : result.resolution;
  return result;
}

ClockQuality thread_cpu_clock_quality() {
  return quality_of([] { return thread_cpu_seconds(); });
}

double core_frequency(const WallClock& clock, int operations) {
  const int blocks = std::max(1, operations / operations_per_block);
  std::uint64_t value = 3;
  const std::int64_t start = clock.ticks();
  for (int i = 0; i < blocks; ++i) {
    value = run_block(value);
  }
  const Seconds elapsed = clock.seconds(clock.ticks() - start);
  return blocks * operations_per_block * cycles_per_operation / elapsed;
}

}  // namespace flopcast::machine
