#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::search {

/// Largest i such that the i-th smallest of n values exceeds their distribution's median with probability at most alpha; 0 if there is
/// none. It is the sign test turned around: nothing is assumed of the distribution.
std::size_t sign_rank(std::size_t n, double alpha);

/// The same for the i-th smallest of n values less the `margin`-th largest of `twins` absolute A/A differences, if the values are
/// distributed as the A/A differences (whatever these are, but symmetric about 0), shifted by the median.
std::size_t calibrated_rank(std::size_t n, std::size_t twins, std::size_t margin, double alpha);

/// The fewest twins with which calibrated_rank(n, twins, margin, alpha) isn't 0; `most` + 1 if these aren't enough.
std::size_t least_twins(std::size_t n, std::size_t margin, double alpha, std::size_t most);

/// Largest i such that the i-th smallest of the n N differences between n values and N A/A differences exceeds the values' median with
/// probability at most alpha, if the values are distributed as the A/A differences (whatever that is), but shifted; 0 if there is none. It
/// is the rank sum test of Mann and Whitney turned around: with enough of both it tells more than the other two.
std::size_t shift_rank(std::size_t n, std::size_t twins, double alpha);

/// Which values bound a median from below: chosen before any is seen.
struct BoundRanks {
  std::size_t sign = 0;        ///< the sign-th smallest value; 0: none
  std::size_t shift = 0;       ///< the shift-th smallest difference between a value and an A/A difference; 0: none
  std::size_t calibrated = 0;  ///< the calibrated-th smallest value less the margin-th largest absolute A/A difference; 0: none
  std::size_t margin = 0;

  /// Whether there is any bound.
  [[nodiscard]] bool tells() const noexcept { return sign > 0 || shift > 0 || calibrated > 0; }
};
/// Of n values and so many twins: the sign test and one that uses the twins, each at alpha / 2, or the one that there is at alpha. Never
/// one that a single disturbed twin would silence: of the calibrated ranks none beyond the largest twin, of the shifts none up to n.
BoundRanks bound_ranks(std::size_t n, std::size_t twins, double alpha);

/// The best of the bounds; -infinity if there is none. The ranks are those of as many values and twins.
double median_lower_bound(std::vector<double> values, std::span<const double> twins, const BoundRanks& ranks);

/// A number that is above the median of `values`' distribution with probability at most alpha; -infinity if they are too few.
double median_lower_bound(std::vector<double> values, std::span<const double> twins, double alpha);

/// Interval that misses the median with probability at most alpha, by the sign test; infinite on both sides if the values are too few.
Interval sign_interval(const std::vector<double>& values, double alpha);

}  // namespace flopcast::search
