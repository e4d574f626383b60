#include "flopcast/path/student_quantiles.hpp"

#include <algorithm>
#include <cstddef>

#include "flopcast/core/statistics.hpp"

namespace flopcast::path {

double StudentQuantiles::operator()(double degrees) {
  constexpr double most = 1000;
  const auto whole = static_cast<std::size_t>(std::clamp(degrees, 1.0, most));
  if (whole >= found_.size()) {
    found_.resize(whole + 1);
  }
  if (found_[whole] == 0) {
    found_[whole] = student_t_quantile((1 + confidence_) / 2, static_cast<double>(whole));
  }
  return found_[whole];
}

}  // namespace flopcast::path
