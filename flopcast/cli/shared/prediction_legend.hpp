#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "flopcast/support/units.hpp"

namespace flopcast::cli {

/// Returns the definition of a prediction for the foot of a table, in lines of at most 80 columns.
/// `column`: title of the column that has predictions. `interval`: where the columns say that runs lie, such as "lie from low to high";
/// empty if the table has no intervals.
inline std::string prediction_legend(std::string_view column, std::string_view interval = "") {
  const std::string runs = interval.empty() ? "" : fmt::format("; 95 % of such runs {}", interval);
  return fmt::format("{}: wall time that an unmodified program would measure on this machine\nin its usual state{}\n", column, runs);
}

/// Returns a sentence on the part of a recorded run that predictions of calls leave out; empty where that is less than a hundredth.
inline std::string own_code_legend(Seconds seconds, double share, std::string_view of = "the recorded run") {
  static constexpr double noticeable = 0.01;
  return share < noticeable ? ""
                            : fmt::format("own code not included: {:.0f} % of {} ({} outside of\nBLAS and LAPACK)\n", 100 * share, of,
                                          format_seconds(seconds));
}

}  // namespace flopcast::cli
