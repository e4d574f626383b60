#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/model/box.hpp"

namespace flopcast::model {

/// The exponents of a monomial, one per size; those beyond the number of sizes are 0.
using Monomial = std::array<std::uint8_t, max_sizes>;

/// The highest exponent of a size: the complexity of a kernel is at most O(n^3) (paper 001), and one more for safety.
inline constexpr int highest_degree = 4;

/// A polynomial in several sizes: sum over i of coefficients[i] * product over d of ((sizes[d] - centre[d]) / scale[d]) ^ monomials[i][d].
struct Polynomial {
  std::vector<double> centre, scale;
  std::vector<Monomial> monomials;
  std::vector<double> coefficients;
  friend bool operator==(const Polynomial&, const Polynomial&) = default;
};

/// Returns the value at `point`, which has as many coordinates as the polynomial has sizes.
double value(const Polynomial& polynomial, std::span<const double> point) noexcept;

}  // namespace flopcast::model
