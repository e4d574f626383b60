#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

/// Tables and texts of `tune`.
namespace flopcast::cli {

inline constexpr const char* measured_heading = "\nMeasured, interleaved:\n\n";
inline constexpr const char* yield_legend = "\nyield: time of the fastest block size / time of the chosen one; 100 % is the best\n";

/// Returns the column of the routine, which tables of several routines have.
report::Column routine_column();

/// Returns headings with room for rows that come one by one.
report::Table validation_headings(const Tuning& tuning);
std::vector<report::Cell> validation_row(const Tuning& tuning, std::size_t part, std::size_t problem);
/// Returns headings and all rows that there are; nothing without rows.
std::string validation_text(const Tuning& tuning, const CommonOptions& common);
/// Returns a line about the validation of a part; empty if there was none.
std::string validation_summary(const RoutineTuning& part);

/// Returns the decisions, and what was measured, as text.
std::string tuning_text(const Tuning& tuning, const CommonOptions& common);
/// Returns the same as one table.
report::Table tuning_table(const Tuning& tuning);

/// Returns a row per routine of LAPACK.
report::Table lapack_table(const LapackTuning& tuning, bool validated);

/// Returns a row per configuration of a program; for CSV with a column for each parameter.
report::Table program_table(const ProgramTuning& tuning, bool csv);
std::vector<report::Column> program_table_columns();

}  // namespace flopcast::cli
