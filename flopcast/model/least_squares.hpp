#pragma once

#include <span>
#include <vector>

#include "flopcast/model/box.hpp"
#include "flopcast/model/polynomial.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// Relative errors |polynomial - sample| / sample of a fit over its samples.
struct FitError {
  double maximum = 0, mean = 0, median = 0;
  /// Standard deviation of the samples around the fit: root of the sum of squared errors / (samples - monomials). 1 if the fit has as many
  /// monomials as samples, because its errors then carry no information.
  double deviation = 0;
  friend bool operator==(const FitError&, const FitError&) = default;
};

struct Fit {
  Polynomial polynomial;
  FitError error;
};

/// Returns the polynomial over `monomials` with the least sum of squared relative errors at `points`, by QR with column pivoting of the
/// columns scaled to unit length. Sizes are centred and scaled by `box`. Monomials that the points can't distinguish get no share: powers
/// of a size with too few distinct values, and columns that depend on others. Throws bad_input unless there are points and as many positive
/// finite times.
Fit fit_relative(std::span<const Monomial> monomials, const Box& box, std::span<const Sizes> points, std::span<const Seconds> seconds);

}  // namespace flopcast::model
