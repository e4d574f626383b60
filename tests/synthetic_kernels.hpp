#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/support/units.hpp"

/// A machine whose kernels take as long as a formula says. Panels are slow, and updates prefer large blocks.
namespace flopcast::tests {

inline Environment synthetic_environment() {
  Environment environment;
  environment.caches = {{.name = "L1", .capacity_bytes = 48 << 10, .bandwidth = 100e9},
                        {.name = "L2", .capacity_bytes = 2 << 20, .bandwidth = 50e9},
                        {.name = "L3", .capacity_bytes = 64 << 20, .bandwidth = 25e9}};
  environment.memory_bandwidth = 12e9;
  environment.peak_flops = 70e9;
  environment.fingerprint = "synthetic";
  return environment;
}

inline Seconds synthetic_seconds(const Call& call) {
  const auto s = sizes(call);
  const std::string& family = call.routine->family;
  const double work = flops(call);
  if (work <= 0) {
    return 5e-8;
  }
  if (family == "geqr2" || family == "larft") {
    return work / 4e9 + 1e-6;
  }
  const auto k = static_cast<double>(s[s.size() - 1]);
  return work / (75e9 * k / (k + 20)) + 2e-6;
}

/// Returns the sum over all calls.
inline Seconds synthetic_seconds(const Trace& trace) {
  Seconds sum = 0;
  for (const Call& call : trace.calls) {
    sum += synthetic_seconds(call);
  }
  return sum;
}

/// Returns four timings of work that takes `seconds`, with a relative deviation of `noise`. The clock advances by them.
inline std::vector<Repetition> noisy_repetitions(Seconds seconds, double noise, std::normal_distribution<double>& normal,
                                                 std::mt19937_64& random, Seconds& clock) {
  std::vector<Repetition> repetitions;
  for (int r = 0; r < 4; ++r) {
    repetitions.push_back({.seconds = seconds * std::exp(noise * normal(random))});
    clock += repetitions.back().seconds;
  }
  return repetitions;
}

}  // namespace flopcast::tests
