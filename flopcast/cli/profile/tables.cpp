#include "flopcast/cli/profile/tables.hpp"

#include <fmt/format.h>

#include <utility>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Table;
using Row = std::vector<Cell>;

constexpr const char* unknown = "-";

/// A column with a predicted time of every shape, beside the recorded one.
struct ForecastColumn {
  std::string title;
  const std::vector<std::optional<Seconds>>* seconds;
  bool same_place;  ///< the prediction is for the place of the recording, so that recorded times are compared with it
};

std::vector<ForecastColumn> forecast_columns(const ProgramProfile& profile) {
  std::vector<ForecastColumn> columns;
  for (const WhatIfResult& answer : profile.what_if) {
    if (answer.failure.empty()) {
      columns.push_back({to_string(answer.question), &answer.shapes, answer.question.is_same()});
    }
  }
  return columns;
}

Cell percent(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

/// Adds the columns that every table has.
void add_sum_columns(Table& table, const ProgramProfile& profile) {
  table.columns.push_back(column<"profile">("calls"));
  if (profile.dry_run) {
    table.columns.push_back(column<"profile">("skipped"));
  }
  add_columns<"profile">(table.columns, {"seconds", "percent_of_calls", "percent_of_run", "flops", "flops_per_second"});
  if (profile.peak) {
    table.columns.push_back(column<"profile">("percent_of_peak"));
  }
}

void add_sum_cells(Row& row, const CallTotals& sum, const ProgramProfile& profile) {
  row.push_back(report::whole(sum.calls));
  if (profile.dry_run) {
    row.push_back(report::whole(sum.skipped));
  }
  row.emplace_back(sum.seconds, format_seconds(sum.seconds));
  row.push_back(percent(sum.seconds, profile.all.seconds));
  row.push_back(percent(sum.seconds, profile.seconds));
  row.push_back(sum.flops > 0 ? Cell(sum.flops, fmt::format("{:.3g}", sum.flops)) : Cell(unknown));
  row.push_back(sum.flops_per_second ? Cell(*sum.flops_per_second, format_flop_rate(*sum.flops_per_second)) : Cell(unknown));
  if (profile.peak) {
    row.push_back(sum.of_peak ? percent(*sum.of_peak, 1) : Cell(unknown));
  }
}

/// Adds the predicted time and, for the place of the recording, the reached share of the expected speed.
void add_forecast_cells(Row& row, const std::vector<ForecastColumn>& columns, const std::vector<std::optional<Seconds>>& seconds,
                        Seconds recorded) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    row.push_back(seconds[i] ? Cell(*seconds[i], format_seconds(*seconds[i])) : Cell(unknown));
    if (columns[i].same_place) {
      row.push_back(seconds[i] && recorded > 0 ? percent(*seconds[i], recorded) : Cell(unknown));
    }
  }
}

/// Returns a row for the shapes from `begin` on.
Row sum_row(const std::string& title, std::size_t begin, const ProgramProfile& profile, const std::vector<ForecastColumn>& columns) {
  std::vector<CallTotals> parts;
  std::vector<std::optional<Seconds>> seconds(columns.size());
  Seconds recorded = 0;  // of the shapes that have a prediction
  for (std::size_t i = begin; i < profile.shapes.size(); ++i) {
    parts.push_back(profile.shapes[i]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (const std::optional<Seconds>& predicted = columns[c].seconds->at(i)) {
        seconds[c] = seconds[c].value_or(0) + *predicted;
        recorded += c == 0 ? profile.shapes[i].seconds : 0;
      }
    }
  }
  Row row = {title, "", ""};
  add_sum_cells(row, total_of(parts, profile.peak), profile);
  add_forecast_cells(row, columns, seconds, recorded);
  return row;
}

}  // namespace

std::string shown_flags(const ProgramProfile::Shape& shape) { return shape.first_calls ? first_calls_name : shape.flags; }

std::string overview(const ProgramProfile& profile) {
  const double share = profile.seconds > 0 ? 100 * profile.all.seconds / profile.seconds : 0;
  return fmt::format("{} of {} in {} of {}; {} in BLAS and LAPACK, {:.1f} % of {}", counted(profile.all.calls, "call"),
                     counted(profile.routines.size(), "routine"), counted(profile.thread_count, "thread"),
                     counted(profile.processes.size(), "process"), format_seconds(profile.all.seconds), share,
                     format_seconds(profile.seconds));
}

Table routine_table(const ProgramProfile& profile) {
  Table table;
  table.columns = columns<"profile">({"routine"});
  add_sum_columns(table, profile);
  const auto add = [&](const std::string& name, const CallTotals& sum) {
    Row row = {name};
    add_sum_cells(row, sum, profile);
    table.rows.push_back(std::move(row));
  };
  for (const ProgramProfile::Routine& routine : profile.routines) {
    add(routine.routine, routine);
  }
  if (profile.first_calls.calls > 0) {
    add(first_calls_name, profile.first_calls);
  }
  add("all", profile.all);
  return table;
}

Table shape_table(const ProgramProfile& profile, std::size_t max_shapes) {
  const std::vector<ForecastColumn> columns = forecast_columns(profile);
  Table table;
  table.columns = cli::columns<"profile">({"routine", "flags", "sizes"});
  add_sum_columns(table, profile);
  for (const ForecastColumn& column : columns) {
    table.columns.push_back(titled(cli::column<"profile">("WHAT_IF_seconds"), column.title, column.title + "_seconds"));
    if (column.same_place) {
      table.columns.push_back(cli::column<"profile">("percent_of_model"));
    }
  }
  const auto& shapes = profile.shapes;
  const std::size_t shown = shapes.size() <= max_shapes + 1 ? shapes.size() : max_shapes;  // a rest of one is no shorter
  for (std::size_t i = 0; i < shown; ++i) {
    Row row = {shapes[i].routine, shown_flags(shapes[i]), to_string(shapes[i].sizes)};
    add_sum_cells(row, shapes[i], profile);
    std::vector<std::optional<Seconds>> seconds;
    for (const ForecastColumn& column : columns) {
      seconds.push_back(column.seconds->at(i));
    }
    add_forecast_cells(row, columns, seconds, shapes[i].seconds);
    table.rows.push_back(std::move(row));
  }
  if (shown < shapes.size()) {
    table.rows.push_back(sum_row(fmt::format("{} other shapes", shapes.size() - shown), shown, profile, columns));
  }
  table.rows.push_back(sum_row("all", 0, profile, columns));
  return table;
}

Table thread_table(const ProgramProfile& profile) {
  Table table;
  table.columns = columns<"profile">({"thread", "process", "most in"});
  add_sum_columns(table, profile);
  for (const ProgramProfile::Thread& thread : profile.threads) {
    Row row = {std::to_string(thread.tid), std::to_string(thread.pid), thread.heaviest};
    add_sum_cells(row, thread, profile);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table process_table(const ProgramProfile& profile) {
  Table table;
  table.columns = columns<"profile">({"process", "command", "threads"});
  add_sum_columns(table, profile);
  for (const ProgramProfile::Process& process : profile.processes) {
    Row row = {std::to_string(process.pid), process.program.empty() ? unknown : process.program,
               report::whole(static_cast<long long>(process.threads))};
    add_sum_cells(row, process, profile);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace flopcast::cli
