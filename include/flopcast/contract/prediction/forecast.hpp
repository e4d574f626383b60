#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/prediction/micro_benchmark.hpp"
#include "flopcast/contract/prediction/predicted_time.hpp"
#include "flopcast/contract/prediction/timing_memory.hpp"

namespace flopcast::contract {

/// Forecasts of several algorithms, and statistics of their micro-benchmarks.
struct Forecasts {
  std::vector<AlgorithmForecast> each;  ///< in the order of the algorithms
  std::size_t benchmarks = 0;           ///< number of different micro-benchmarks
  std::size_t known = 0;                ///< micro-benchmarks that were measured in earlier runs
  std::size_t shared = 0;               ///< number of times that an algorithm reused another one's micro-benchmark
};

/// Executes experiments: measure::Session::run, or a substitute in tests.
using Measure = std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)>;

/// Predicts each algorithm's time as the sum over its micro-benchmarks of calls x median time. Algorithms share equal micro-benchmarks. One
/// run measures everything that `memory` doesn't know, and a second run extends segments whose repetitions disagree. `memory` keeps these
/// timings at once. The segments of the leaders are then measured once more. Throws unusable_measurement if a benchmark has no repetition
/// that counts (disturbed or interrupted). `session_deviation` is RunDeviation::sessions; the deviation between moments is that of the timings.
Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory = {}, double session_deviation = 0);

}  // namespace flopcast::contract
