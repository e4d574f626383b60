#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/prediction/micro_benchmark.hpp"
#include "flopcast/contract/prediction/timing_memory.hpp"
#include "flopcast/core/statistics.hpp"

namespace flopcast::contract {

/// The contribution of one micro-benchmark to an algorithm's time.
struct Part {
  std::string what;
  double calls = 0;
  Seconds seconds = 0;  ///< time of one call
};

/// The predicted time of one algorithm.
struct Forecast {
  Seconds seconds = 0;
  Interval interval;  ///< sum of the 95 % intervals of the micro-benchmarks' medians, as if all were low or all high at once
  std::vector<Part> parts;
};

/// Forecasts of several algorithms, and statistics of their micro-benchmarks.
struct Forecasts {
  std::vector<Forecast> each;  ///< in the order of the algorithms
  std::size_t benchmarks = 0;  ///< number of different micro-benchmarks
  std::size_t known = 0;       ///< micro-benchmarks that were measured in earlier runs
  std::size_t shared = 0;      ///< number of times that an algorithm reused another one's micro-benchmark
};

/// Executes experiments: measure::Session::run, or a substitute in tests.
using Measure = std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)>;

/// Predicts each algorithm's time as the sum over its micro-benchmarks of calls x median time. Algorithms share equal micro-benchmarks. One
/// run measures everything that `memory` doesn't know, and a second run extends segments whose repetitions disagree. `memory` keeps these
/// timings at once. The segments of the leaders are then measured once more. Throws unusable_measurement if a benchmark has no repetition
/// that counts (disturbed or interrupted).
Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory = {});

/// Returns the positions in `forecasts`, the fastest first.
std::vector<std::size_t> ranking(std::span<const Forecast> forecasts);

/// Returns the positions of the forecasts among which the fastest algorithm is likely to be, the fastest first: those up to 1.25 times
/// slower than the fastest forecast. Empty if no other forecast is that close.
std::vector<std::size_t> leaders(std::span<const Forecast> forecasts);

/// Returns whether two forecasts can't be distinguished: their intervals overlap, or they differ by at most the fraction `floor`, the
/// repeatability of present machines.
bool ties(const Forecast& x, const Forecast& y, double floor = 0.01);

}  // namespace flopcast::contract
