#include "flopcast/selective/student_quantiles.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/core/statistics.hpp"

namespace flopcast::selective {

double StudentQuantiles::operator()(double degrees) {
  constexpr double max_degrees = 1000;
  const double inside = std::clamp(degrees, 1.0, max_degrees);
  const double below = std::floor(inside);
  const double at_below = of_whole(static_cast<std::size_t>(below));
  if (inside == below) {
    return at_below;
  }
  const double above = below + 1;
  const double share = (1 / below - 1 / inside) / (1 / below - 1 / above);
  return at_below * std::pow(of_whole(static_cast<std::size_t>(above)) / at_below, share);
}

double StudentQuantiles::of_whole(std::size_t degrees) {
  if (degrees >= found_.size()) {
    found_.resize(degrees + 1);
  }
  if (found_[degrees] == 0) {
    found_[degrees] = student_t_quantile((1 + confidence_) / 2, static_cast<double>(degrees));
  }
  return found_[degrees];
}

}  // namespace flopcast::selective
