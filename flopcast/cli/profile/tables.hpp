#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/peak.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::cli {

/// A recording and what its tables need besides.
struct ProgramView {
  const interpose::ProgramSummary& summary;
  const interpose::ProgramBreakdown& breakdown;
  std::optional<interpose::Peak> peak;
};

/// Another column of the shapes' table: a time of every shape, beside the recorded one.
struct ShapeForecast {
  std::string title;
  std::vector<std::optional<Seconds>> seconds;  ///< of every shape of the breakdown; nothing where there is no prediction
  bool same_place = false;                      ///< of the recorded libraries and threads: recorded calls are compared with it
};

/// What stands in place of a routine for the calls that are told apart as first ones.
inline constexpr const char* first_calls_name = "first calls";
/// The flags of a shape, or that its calls are first ones.
std::string shown_flags(const interpose::ShapeSum& shape);

/// One row per routine, one for first calls if there are any, and the total.
report::Table routine_table(const ProgramView& view);
/// The first `most` shapes, a row with the rest, and the total.
report::Table shape_table(const ProgramView& view, std::size_t most, const std::vector<ShapeForecast>& forecasts = {});
report::Table thread_table(const ProgramView& view);
report::Table process_table(const ProgramView& view);

}  // namespace flopcast::cli
