#pragma once

#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/roofline/roof.hpp"

namespace flopcast::roofline {

/// One roof of two rooflines.
struct Difference {
  std::string kind;  ///< "compute", "bandwidth", "dgemm", "point"
  std::string name;
  int threads = 1;
  double before = 0, after = 0;  ///< medians
  double ratio = 1;              ///< after / before
  Interval interval;             ///< of the ratio: of the medians' 95 % intervals, widened by Comparison::wander
  [[nodiscard]] bool beyond_noise() const noexcept { return interval.low > 1 || interval.high < 1; }
};

/// Rooflines of two machines, libraries or dates.
struct Comparison {
  std::vector<std::string> settings;  ///< "CPU: X; Y", for what isn't alike
  std::vector<Difference> differences;
  /// How much rates change within a run, as a fraction: 95 % of the compute and bandwidth roofs of both have medians of the first and the
  /// second half of their samples that differ by at most so much.
  double wander = 0;
  std::vector<std::string> only_before, only_after;  ///< roofs that the other one lacks
};

/// Roofs are the same if kind, name and threads are; the dgemm roofs of one library name and thread count are, whatever its version and
/// shape.
Comparison compare(const Roofline& before, const Roofline& after);

}  // namespace flopcast::roofline
