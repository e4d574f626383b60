#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/micro_benchmark.hpp"
#include "flopcast/contract/timing_memory.hpp"
#include "flopcast/core/statistics.hpp"

namespace flopcast::contract {

/// What one micro-benchmark contributes to an algorithm's time.
struct Part {
  std::string what;
  double calls = 0;
  Seconds seconds = 0;  ///< of one
};

/// The predicted time of one algorithm.
struct Forecast {
  Seconds seconds = 0;
  Interval interval;  ///< from the 95 % intervals of its micro-benchmarks' medians, all low or all high at once
  std::vector<Part> parts;
};

/// Forecasts of several algorithms, and what they were made of.
struct Forecasts {
  std::vector<Forecast> each;  ///< in the order of the algorithms
  std::size_t benchmarks = 0;  ///< different ones that it took
  std::size_t known = 0;       ///< of these were measured in earlier runs
  std::size_t shared = 0;      ///< times that an algorithm could use another one's
};

/// Executes experiments: measure::Session::run, or a test's own.
using Measure = std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)>;

/// Predicts each algorithm as the sum over its micro-benchmarks of calls x median time; algorithms share what is equal, and everything is
/// measured in one shuffled run, unless `memory` knows it; what the leaders are made of then a second time. What is measured is kept there
/// before anything else happens. Throws
/// unusable_measurement if a benchmark has no repetition that counts (interrupted).
Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory = {});

/// Positions in `forecasts`, the fastest first.
std::vector<std::size_t> ranking(std::span<const Forecast> forecasts);

/// Those among which the fastest is likely to be, the fastest first, as predictions go: up to 1.25 times as slow as that. None if nothing is
/// near it.
std::vector<std::size_t> leaders(std::span<const Forecast> forecasts);

/// Whether two forecasts can't be told apart: intervals overlap, or they differ by less than `floor` (what machines of today repeat to).
bool ties(const Forecast& x, const Forecast& y, double floor = 0.01);

}  // namespace flopcast::contract
