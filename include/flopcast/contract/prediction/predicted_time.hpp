#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// The degree to which micro-benchmarks recreate an algorithm's cache behaviour: each stage of Peise et al. 2015 includes all stages before
/// it. The last stage is flopcast's own.
enum class Stage : std::uint8_t {
  repeated,          ///< section 3.1: the kernel is repeated on the same operands
  distance,          ///< 3.2: operands were last accessed as long ago as in the algorithm
  prefetching,       ///< 3.3: data that come next in memory have been prefetched
  failures,          ///< 3.4: prefetching fails at a new line
  first_iterations,  ///< 3.5: a loop's first iteration finds the caches in another state
  segments,          ///< not in the paper: segments of consecutive calls, at their own distances in memory
};

/// Relative standard deviation of an algorithm's time beyond that of its micro-benchmarks, which recreate caches only roughly. The mean
/// error of 338 algorithms of nine contractions was 7.4 %, which a normal distribution of this deviation has.
inline constexpr double micro_benchmark_error = 0.09;

/// The contribution of one micro-benchmark to an algorithm's time.
struct Part {
  std::string what;
  double calls = 0;
  Seconds seconds = 0;  ///< time of one call
  friend bool operator==(const Part&, const Part&) = default;
};

/// The predicted time of one algorithm: the wall time that an unmodified program would measure on this machine in its usual state
/// (docs/explanation/prediction.md).
struct AlgorithmForecast {
  Seconds seconds = 0;
  Interval interval;  ///< interval in which 95 % of later single runs lie
  std::vector<Part> parts;
  /// Standard deviation of the micro-benchmarks' medians, as if all were low or all high at once. Errors that all algorithms share aren't
  /// in it.
  Seconds deviation = 0;
  friend bool operator==(const AlgorithmForecast&, const AlgorithmForecast&) = default;
};

/// Returns the positions in `forecasts`, the fastest first.
std::vector<std::size_t> ranking(std::span<const AlgorithmForecast> forecasts);

/// Returns the positions of the forecasts among which the fastest algorithm is likely to be, the fastest first: those up to 1.25 times
/// slower than the fastest forecast. Empty if no other forecast is that close.
std::vector<std::size_t> leaders(std::span<const AlgorithmForecast> forecasts);

/// Returns whether two forecasts can't be distinguished: the 95 % intervals of their medians overlap, or they differ by at most the
/// fraction `floor`, the repeatability of present machines.
bool ties(const AlgorithmForecast& x, const AlgorithmForecast& y, double floor = 0.01);

}  // namespace flopcast::contract
