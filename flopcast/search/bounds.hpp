#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::search {

/// Largest i such that the i-th smallest of n values exceeds their distribution's median with probability at most alpha; 0 if there is
/// none. It is the sign test turned around: nothing is assumed of the distribution.
std::size_t sign_rank(std::size_t n, double alpha);

/// The same for the i-th smallest of n values less the second largest of `twins` absolute A/A differences, if the values are distributed as
/// the A/A differences (whatever these are, but symmetric about 0), shifted by the median. Beyond the largest twin would be the sharpest
/// test, but one disturbed twin would silence it.
std::size_t calibrated_rank(std::size_t n, std::size_t twins, double alpha);

/// A number that is above the median of `differences`' distribution with probability at most alpha; -infinity if they are too few.
/// With `twins` (A/A differences) it is the better of the two bounds above, each at alpha / 2; without, the first.
double median_lower_bound(std::vector<double> differences, std::span<const double> twins, double alpha);

/// Interval that misses the median with probability at most alpha, by the sign test; infinite on both sides if the values are too few.
Interval sign_interval(const std::vector<double>& values, double alpha);

}  // namespace flopcast::search
