#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// CLOCK_MONOTONIC in nanoseconds.
inline std::int64_t monotonic_nanoseconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Processor time of this thread; a reading costs about 200 ns (measured on Linux 6).
inline Seconds thread_cpu_seconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<Seconds>(time.tv_sec) + 1e-9 * static_cast<Seconds>(time.tv_nsec);
}

/// Returns true if the CPU has a time stamp counter that ticks evenly whatever the clock does.
bool has_invariant_counter() noexcept;

/// Quality of a clock, in seconds; small is good.
struct ClockQuality {
  Seconds resolution = 0;  ///< smallest step seen between different readings
  Seconds overhead = 0;    ///< median difference of two readings with nothing between them
  friend bool operator==(const ClockQuality&, const ClockQuality&) = default;
};

/// The finest wall clock there is: the time stamp counter where it is invariant, CLOCK_MONOTONIC elsewhere.
class WallClock {
 public:
  /// Calibrates the counter against CLOCK_MONOTONIC (relative error about 100 ns / calibration). The `calibration` seconds count from the
  /// process's first clock on: if a clock is made before other work, later clocks don't wait.
  explicit WallClock(Seconds calibration = 0.01);

  /// Reads the clock; nothing is reordered across the reading.
  [[nodiscard]] std::int64_t ticks() const noexcept {
#if defined(__x86_64__)
    if (counter_) {
      _mm_lfence();
      const auto count = static_cast<std::int64_t>(__rdtsc());
      _mm_lfence();
      return count;
    }
#endif
    return monotonic_nanoseconds();
  }
  [[nodiscard]] Seconds seconds(std::int64_t ticks) const noexcept { return static_cast<Seconds>(ticks) * seconds_per_tick_; }
  [[nodiscard]] bool uses_counter() const noexcept { return counter_; }
  [[nodiscard]] double ticks_per_second() const noexcept { return 1 / seconds_per_tick_; }

 private:
  bool counter_ = false;
  double seconds_per_tick_ = 1e-9;
};

ClockQuality quality(const WallClock& clock);
/// Quality of thread_cpu_seconds().
ClockQuality thread_cpu_clock_quality();

/// Clock of the core in hertz at present. On x86-64 a chain of `operations` dependent integer multiplications takes 3 cycles each; 4000
/// take 3 to 5 us. No CPU shortens that chain, while some fold additions of constants away. Other machines execute a chain of dependent
/// additions of 1 cycle each.
double core_frequency(const WallClock& clock, int operations = 4096);

/// Detects whether this thread lost its CPU since start(); a check costs about 0.3 us.
class PreemptionDetector {
 public:
  void start() noexcept { switches_ = involuntary_switches(); }
  [[nodiscard]] bool preempted() const noexcept { return involuntary_switches() != switches_; }
  /// Involuntary context switches of this thread so far.
  static std::int64_t involuntary_switches() noexcept;

 private:
  std::int64_t switches_ = 0;
};

/// Time that the hypervisor took from all CPUs together so far, in steps of 10 ms; nothing if the system doesn't say. A call takes tens of
/// microseconds.
std::optional<Seconds> stolen_seconds();

/// Fluctuation of the machine's speed at present; small is good.
struct NoiseLevel {
  double spread = 0;           ///< interquartile range of equal work / its median
  double disturbed_share = 0;  ///< share of slices that took over 1.5 times the median or lost the CPU
  double stolen_share = 0;     ///< share of the CPU's time that the hypervisor took
  Seconds slice = 0;           ///< median time of one slice of work
  friend bool operator==(const NoiseLevel&, const NoiseLevel&) = default;
};

/// Repeats the same piece of work (about 20 us) for `duration` seconds.
NoiseLevel measure_noise(const WallClock& clock, Seconds duration = 0.3);

/// The level from slices of equal work; `lost` of them lost the CPU without taking long.
NoiseLevel noise_of(std::span<const Seconds> slices, std::int64_t lost, double stolen_share);

/// "quiet", "usable" or "noisy", with advice.
std::string judgement(const NoiseLevel& noise);

}  // namespace flopcast::machine
