#include "flopcast/machine/cpu/clock.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/machine/cpu/other_load.hpp"

namespace flopcast::machine {
namespace {

constexpr int slice_operations = 24 * 1024;  // dependent multiplications: about 20 us
constexpr double long_slice = 1.5;           // times the median
constexpr double quiet_spread = 0.02, usable_spread = 0.10;
constexpr double quiet_disturbed = 0.005, usable_disturbed = 0.05;

}  // namespace

std::int64_t PreemptionDetector::involuntary_switches() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

std::optional<Seconds> stolen_seconds() {
  const std::optional<MachineTimes> times = machine_times();
  return times ? std::optional(times->stolen) : std::nullopt;
}

NoiseLevel noise_of(std::span<const Seconds> slices, std::int64_t lost, double stolen_share) {
  NoiseLevel noise;
  if (slices.empty()) {
    return noise;
  }
  noise.slice = median(slices);
  noise.spread = (quantile(slices, 0.75) - quantile(slices, 0.25)) / noise.slice;
  const auto slow = std::count_if(slices.begin(), slices.end(), [&](Seconds slice) { return slice > long_slice * noise.slice; });
  noise.disturbed_share = static_cast<double>(slow + lost) / static_cast<double>(slices.size());
  noise.stolen_share = stolen_share;
  return noise;
}

NoiseLevel measure_noise(const WallClock& clock, Seconds duration) {
  std::vector<Seconds> slices;
  std::vector<bool> switched;
  PreemptionDetector detector;
  const std::optional<Seconds> stolen_before = stolen_seconds();
  const std::int64_t start = clock.ticks();
  Seconds elapsed = 0;
  while (elapsed < duration) {
    detector.start();
    const std::int64_t before = clock.ticks();
    (void)core_frequency(clock, slice_operations);
    const std::int64_t after = clock.ticks();
    switched.push_back(detector.preempted());
    slices.push_back(clock.seconds(after - before));
    elapsed = clock.seconds(after - start);
  }
  const Seconds stolen = stolen_before ? stolen_seconds().value_or(*stolen_before) - *stolen_before : 0;
  const Seconds typical = median(slices);
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    lost += switched[i] && slices[i] <= long_slice * typical ? 1 : 0;
  }
  const auto cpus = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return noise_of(slices, lost, stolen / elapsed / cpus);
}

std::string judgement(const NoiseLevel& noise) {
  const std::string found = fmt::format("equal work varies by {:.1f} %, {:.1f} % of it is disturbed, {:.1f} % of the time is stolen",
                                        100 * noise.spread, 100 * noise.disturbed_share, 100 * noise.stolen_share);
  if (noise.spread <= quiet_spread && noise.disturbed_share <= quiet_disturbed && noise.stolen_share <= quiet_disturbed) {
    return "quiet: " + found;
  }
  if (noise.spread <= usable_spread && noise.disturbed_share <= usable_disturbed && noise.stolen_share <= usable_disturbed) {
    return "usable: " + found + "; expect intervals to be wider than on an idle machine";
  }
  return "noisy: " + found + "; stop other programs or wait before you measure";
}

}  // namespace flopcast::machine
