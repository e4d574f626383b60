#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace flopcast {

/// Returns the number of elements that a workspace query answers in a real number. Single precision rounds sizes above 2^24, some of them
/// down. Such answers are rounded up, so that they suffice.
template <class Real>
std::int64_t answered_elements(Real answer) noexcept {
  static constexpr Real exact_below = static_cast<Real>(std::int64_t{1} << std::numeric_limits<Real>::digits);
  const Real enough = answer < exact_below ? answer : std::nextafter(answer, std::numeric_limits<Real>::max());
  return static_cast<std::int64_t>(enough);
}

/// Returns the least number of type Real that isn't below `elements`, as an answer to a workspace query.
template <class Real>
Real answer_for(double elements) noexcept {
  const auto rounded = static_cast<Real>(elements);
  return static_cast<double>(rounded) < elements ? std::nextafter(rounded, std::numeric_limits<Real>::max()) : rounded;
}

}  // namespace flopcast
