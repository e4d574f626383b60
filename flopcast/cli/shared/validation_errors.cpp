#include "flopcast/cli/shared/validation_errors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

void ValidationErrors::add(const tuning::Check& check) {
  for (const tuning::Measured& measured : check.measured) {
    wall_.push_back(std::fabs(measured.error));
    normalised_.push_back(std::fabs(measured.normalised_error));
    runs_ += measured.wall_times.size();
    within_ += measured.within;
  }
}

std::string ValidationErrors::text() const {
  static constexpr double most = 0.95;
  return fmt::format(
      "error in wall time median {:.1f} %, 95th percentile {:.1f} % (normalised {:.1f} and {:.1f} %), {} of {} within their intervals",
      100 * median(wall_), 100 * quantile(wall_, most), 100 * median(normalised_), 100 * quantile(normalised_, most), within_,
      counted(runs_, "run"));
}

}  // namespace flopcast::cli
