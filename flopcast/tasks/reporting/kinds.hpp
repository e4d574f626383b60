#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/reporting/reporting.hpp"

/// The kinds of documents whose pages have a question, an answer and pictures. Other kinds have tables only.
namespace flopcast {

inline constexpr std::size_t max_bars = 16;  ///< bars of one chart

/// A list of objects of the document that the page shows as a table.
struct ShownTable {
  std::string_view path;  ///< "parts.decisions"; empty: the members of the document itself, one a row
  std::string_view title;
  /// Columns in this order; empty: all members. A fold holds the other members of the document itself.
  std::vector<std::string> members = {};
};

/// The contents of pages about documents of one schema.
struct ReportedKind {
  std::string_view schema;
  /// Returns the contents without facts about the machine and without tables. Throws bad_input for a damaged document.
  std::function<PageContents(std::string_view text)> contents;
  std::vector<ShownTable> tables;
};

template <class Result>
ReportedKind reported(std::string_view schema, Result (*read)(std::string_view), PageContents (*contents)(const Result&),
                      std::vector<ShownTable> tables) {
  return {schema, [read, contents](std::string_view text) { return contents(read(text)); }, std::move(tables)};
}

std::vector<ReportedKind> tuning_kinds();
std::vector<ReportedKind> program_kinds();
std::vector<ReportedKind> command_kinds();
std::vector<ReportedKind> mpi_kinds();
std::vector<ReportedKind> modelling_kinds();
std::vector<ReportedKind> contraction_kinds();
std::vector<ReportedKind> measured_kinds();

/// Returns "2026-11-26 15:04" in local time for seconds since 1970; empty for 0.
std::string date_text(std::int64_t seconds);

/// Returns the options of a command that choose the libraries and the threads of a result, as words: those that differ from the defaults.
std::vector<std::string> place_words(const Environment& environment);

/// Returns a routine with flags and sizes as a command's words, such as "dpotrf", "uplo=L" and "n=100,200" for the problems {100} and {200}.
/// Returns nothing if the routine is unknown, or if the problems aren't all combinations of their sizes.
std::vector<std::string> problem_words(const std::string& routine, std::string_view flags,
                                       const std::vector<std::vector<std::int64_t>>& problems);

/// Returns "1.2 s to 1.4 s".
std::string seconds_text(const Interval& interval);

/// Returns a bar with a time, whose text has the interval.
report::Bar time_bar(std::string label, Seconds seconds, const std::optional<Interval>& interval = {}, bool reference = false);

/// Returns at most `max_count` indices from 0 to `count` - 1, evenly spread, with the first and the last one.
std::vector<std::size_t> spread_indices(std::size_t count, std::size_t max_count);

/// A row of parts of a total, such as the times of a process.
struct PartsRow {
  std::string label;
  std::vector<Seconds> parts;  ///< in the order of the series
};
/// Returns rows of parts beside each other, over an axis from 0 to the longest row.
report::Strips parts_picture(std::string caption, std::vector<std::string> series, const std::vector<PartsRow>& rows);

/// Returns noisy if one of the sentences says that the machine was noisy, else `otherwise`.
report::Trust trust_of(const std::vector<std::string>& remarks, report::Trust otherwise = report::Trust::unknown);

/// Sets the contents' picture to that of draw(), or adds the reason why there is none to the warnings.
void add_picture(PageContents& contents, const std::function<report::Picture()>& draw);

}  // namespace flopcast
