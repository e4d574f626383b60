#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {

/// Name of the calls that are kept apart as first ones, in place of a routine or of flags.
inline constexpr const char* first_calls_name = "first calls";

/// Returns the flags of a shape, or first_calls_name.
std::string shown_flags(const ProgramProfile::Shape& shape);
/// Returns the sizes of a shape by their names: {"m", "100"}, {"n", "64..127"}.
std::map<std::string, std::string> named_spans(const ProgramProfile::Shape& shape);
/// Returns the column of one size in CSV, which takes the place of the column with all sizes.
inline report::Column span_column() { return text_column("SIZE", "SIZE", "in CSV, in place of sizes: one size of the shape"); }
/// Returns flags and sizes of a shape.
std::string shape_text(const ProgramProfile::Shape& shape);
/// Returns a line with the numbers of calls, routines and threads, and the time.
std::string overview(const ProgramProfile& profile);

/// Returns one row per routine, one for first calls if there are any, and the total.
report::Table routine_table(const ProgramProfile& profile);
/// Returns the first `max_shapes` shapes, a row for the rest, and the total, with a column per answered what-if question.
report::Table shape_table(const ProgramProfile& profile, std::size_t max_shapes, bool csv);
report::Table thread_table(const ProgramProfile& profile);
report::Table process_table(const ProgramProfile& profile);

/// Returns one row per what-if question.
report::Table answer_table(const ProgramProfile& profile);
/// Returns all columns of both tables.
std::vector<report::Column> what_if_columns();
/// Returns the block sizes that were chosen, one row per question and shape.
report::Table block_table(const ProgramProfile& profile, bool csv);

}  // namespace flopcast::cli
