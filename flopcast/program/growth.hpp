#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"

/// Growth of quantities with a program's parameter, from their values in a few runs.
namespace flopcast::program {

/// A quantity's value in a run whose parameter has a value above 0.
struct GrowthPoint {
  double parameter = 0, value = 0;
};

/// How a quantity grows with the parameter n, and its value at the parameter of interest.
struct Growth {
  std::string formula;  ///< "n/2 + 3", "ceil(n/64)", "0.21 + 3.1e-08 n^2"
  double value = 0;
  Interval interval;  ///< values of all forms that the points can't tell apart
  double misfit = 0;  ///< largest relative deviation of a point from the formula; 0 for an exact one
};

/// Returns the growth of whole numbers that some formula gives exactly. Formulae are constants, lines, rounded ones, multiples of n^2 or n^3
/// plus a constant, and quadratic polynomials of the number of blocks. Returns nothing if none does, or if the numbers
/// differ by so little that a coincidence is likely. Expects at least three points by ascending parameter.
std::optional<Growth> exact_growth(std::span<const GrowthPoint> points, double parameter);

/// The meaning of a quantity, which decides about the forms of its growth.
enum class Measured : std::uint8_t {
  size,  ///< sizes and numbers of calls: a straight line in n^2 at most, rather one in n
  time,  ///< times and bytes: sums of two parts that aren't negative, and grow by n^3 at most
};

/// Returns the growth of numbers >= 0 as a constant plus a multiple of one of n, n^2, n^3, sqrt n, log n and 1/n with the least relative
/// misfit. The interval has the values of all forms whose misfit is below `tolerance` or nearly the least one.
Growth smooth_growth(std::span<const GrowthPoint> points, double parameter, double tolerance, Measured measured);

/// Values as a sum of multiples of two columns.
struct TwoParts {
  double first = 0, second = 0;  ///< factors of the columns
  double misfit = 0;             ///< largest relative deviation of a value
};
/// Fits values > 0 by columns. Deviations count relative to values^`weight`. The second factor isn't negative, and the first isn't unless
/// `signed_first`.
TwoParts fit_parts(std::span<const double> first, std::span<const double> second, std::span<const double> values, double weight,
                   bool signed_first = false);

}  // namespace flopcast::program
