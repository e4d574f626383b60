#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::machine {

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
