#include "flopcast/cli/profile/tables.hpp"

#include <fmt/format.h>

#include <utility>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/report/spread.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Table;
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

/// Returns the columns that every table has.
Columns<CallTotals> sum_columns(const ProgramProfile& profile) {
  Columns<CallTotals> columns;
  columns.show<&CallTotals::calls>();
  if (profile.dry_run) {
    columns.show<&CallTotals::skipped>();
  }
  columns.show<&CallTotals::seconds>();
  columns.number("percent_of_calls", "share", "%", "their part of the time of all calls", Best::small,
                 [all = profile.all.seconds](const CallTotals& sum) { return percent_cell(sum.seconds, all); });
  columns.number("percent_of_run", "of run", "%", "their part of the program's whole run; with several threads it may exceed 100 %",
                 Best::small, [run = profile.seconds](const CallTotals& sum) { return percent_cell(sum.seconds, run); });
  columns.add(shown<&CallTotals::flops>(),
              [](const CallTotals& sum) { return sum.flops > 0 ? Cell(sum.flops, fmt::format("{:.3g}", sum.flops)) : Cell(unknown); });
  columns.add(shown<&CallTotals::flops_per_second>(), [](const CallTotals& sum) {
    return sum.flops_per_second ? Cell(*sum.flops_per_second, format_flop_rate(*sum.flops_per_second)) : Cell(unknown);
  });
  if (profile.peak) {
    report::Column of_peak = shown<&CallTotals::of_peak>("percent_of_peak", "of peak");
    of_peak.unit = "%";
    columns.add(of_peak, [](const CallTotals& sum) { return sum.of_peak ? percent_cell(*sum.of_peak, 1) : Cell(unknown); });
  }
  return columns;
}

/// Calls of a routine, or of all.
struct RoutineRow {
  std::string name;
  CallTotals sum;
};

Columns<RoutineRow> routine_columns(const ProgramProfile& profile) {
  Columns<RoutineRow> columns;
  columns.add(shown<&ProgramProfile::Routine::routine>(), &RoutineRow::name);
  columns.add_part(sum_columns(profile), &RoutineRow::sum);
  return columns;
}

/// Calls of a shape, or of several.
struct ShapeRow {
  std::string routine, flags, sizes;
  std::map<std::string, std::string> spans;  ///< the sizes by their names
  CallTotals sum;
  std::vector<std::optional<Seconds>> predicted;  ///< one time for each answered question
  Seconds recorded = 0;                           ///< time of the calls that have a prediction
};

/// Returns the columns of shapes. Those for the place of the recording compare predicted with recorded times.
Columns<ShapeRow> shape_columns(const ProgramProfile& profile, const std::vector<ForecastColumn>& forecasts) {
  Columns<ShapeRow> columns;
  columns.add(shown<&ProgramProfile::Shape::routine>(), &ShapeRow::routine);
  columns.add(shown<&ProgramProfile::Shape::flags>(), &ShapeRow::flags);
  columns.text("sizes", "sizes", "sizes of the shape; n=64..127 stands for all between", &ShapeRow::sizes);
  columns.add_part(sum_columns(profile), &ShapeRow::sum);
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    columns.add(titled(number_column("", "", "s", "predicted time of the shape for one --what-if"), forecasts[i].title,
                       forecasts[i].title + "_seconds"),
                [i](const ShapeRow& row) {
                  const std::optional<Seconds>& seconds = row.predicted[i];
                  return seconds ? Cell(*seconds, format_seconds(*seconds)) : Cell(unknown);
                });
    if (forecasts[i].same_place) {
      columns.number("percent_of_model", "of model", "%",
                     "time that the models expect over the recorded time (--what-if same). Far below 100 %: the run was disturbed, or "
                     "operands lay further away than necessary",
                     Best::large, [i](const ShapeRow& row) {
                       return row.predicted[i] && row.recorded > 0 ? percent_cell(*row.predicted[i], row.recorded) : Cell(unknown);
                     });
    }
  }
  return columns;
}

Columns<ProgramProfile::Thread> thread_columns(const ProgramProfile& profile) {
  using Thread = ProgramProfile::Thread;
  Columns<Thread> columns;
  columns.add(texts(shown<&Thread::tid>("thread")), [](const Thread& thread) { return std::to_string(thread.tid); });
  columns.add(texts(shown<&Thread::pid>("process")), [](const Thread& thread) { return std::to_string(thread.pid); });
  columns.show<&Thread::heaviest>("most in");
  columns.add_part(sum_columns(profile), [](const Thread& thread) -> const CallTotals& { return thread; });
  return columns;
}

Columns<ProgramProfile::Process> process_columns(const ProgramProfile& profile) {
  using Process = ProgramProfile::Process;
  Columns<Process> columns;
  columns.add(texts(shown<&Process::pid>("process")), [](const Process& process) { return std::to_string(process.pid); });
  columns.add(shown<&Process::program>("command"),
              [](const Process& process) { return process.program.empty() ? unknown : process.program; });
  columns.show<&Process::threads>();
  columns.add_part(sum_columns(profile), [](const Process& process) -> const CallTotals& { return process; });
  return columns;
}

/// Returns a row for the shapes from `begin` on.
ShapeRow sum_row(const std::string& title, std::size_t begin, const ProgramProfile& profile, const std::vector<ForecastColumn>& forecasts) {
  std::vector<CallTotals> parts;
  ShapeRow row = {title, "", "", {}, {}, std::vector<std::optional<Seconds>>(forecasts.size())};
  for (std::size_t i = begin; i < profile.shapes.size(); ++i) {
    parts.push_back(profile.shapes[i]);
    for (std::size_t c = 0; c < forecasts.size(); ++c) {
      if (const std::optional<Seconds>& predicted = forecasts[c].seconds->at(i)) {
        row.predicted[c] = row.predicted[c].value_or(0) + *predicted;
        row.recorded += c == 0 ? profile.shapes[i].seconds : 0;
      }
    }
  }
  row.sum = total_of(parts, profile.peak);
  return row;
}

}  // namespace

std::string shape_text(const ProgramProfile::Shape& shape) {
  const std::string sizes = to_string(shape.sizes);
  const std::string flags = shown_flags(shape);
  return flags.empty() || sizes.empty() ? flags + sizes : flags + " " + sizes;
}

std::map<std::string, std::string> named_spans(const ProgramProfile::Shape& shape) {
  std::map<std::string, std::string> spans;
  for (const program::SizeSpan& one : shape.sizes) {
    spans[one.name] = one.low == one.high ? std::to_string(one.low) : fmt::format("{}..{}", one.low, one.high);
  }
  return spans;
}

std::string shown_flags(const ProgramProfile::Shape& shape) { return shape.first_calls ? first_calls_name : shape.flags; }

std::string overview(const ProgramProfile& profile) {
  const double share = profile.seconds > 0 ? 100 * profile.all.seconds / profile.seconds : 0;
  return fmt::format("{} of {} in {} of {}; {} in BLAS and LAPACK, {:.1f} % of {}", counted(profile.all.calls, "call"),
                     counted(profile.routines.size(), "routine"), counted(profile.thread_count, "thread"),
                     counted(profile.processes.size(), "process"), format_seconds(profile.all.seconds), share,
                     format_seconds(profile.seconds));
}

Table routine_table(const ProgramProfile& profile) {
  std::vector<RoutineRow> rows;
  for (const ProgramProfile::Routine& routine : profile.routines) {
    rows.push_back({routine.routine, routine});
  }
  if (profile.first_calls.calls > 0) {
    rows.push_back({first_calls_name, profile.first_calls});
  }
  rows.push_back({"all", profile.all});
  return routine_columns(profile).table(rows);
}

Table shape_table(const ProgramProfile& profile, std::size_t max_shapes, bool csv) {
  const std::vector<ForecastColumn> forecasts = forecast_columns(profile);
  const auto& shapes = profile.shapes;
  const std::size_t shown_shapes = shapes.size() <= max_shapes + 1 ? shapes.size() : max_shapes;  // a rest of one is no shorter
  std::vector<ShapeRow> rows;
  for (std::size_t i = 0; i < shown_shapes; ++i) {
    ShapeRow& row = rows.emplace_back(ShapeRow{
        shapes[i].routine, shown_flags(shapes[i]), to_string(shapes[i].sizes), named_spans(shapes[i]), shapes[i], {}, shapes[i].seconds});
    for (const ForecastColumn& forecast : forecasts) {
      row.predicted.push_back(forecast.seconds->at(i));
    }
  }
  if (shown_shapes < shapes.size()) {
    rows.push_back(sum_row(fmt::format("{} other shapes", shapes.size() - shown_shapes), shown_shapes, profile, forecasts));
  }
  rows.push_back(sum_row("all", 0, profile, forecasts));
  Table table = shape_columns(profile, forecasts).table(rows);
  return csv ? report::spread(std::move(table), "sizes", rows, &ShapeRow::spans) : table;
}

Table thread_table(const ProgramProfile& profile) { return thread_columns(profile).table(profile.threads); }

Table process_table(const ProgramProfile& profile) { return process_columns(profile).table(profile.processes); }

std::vector<TableColumns> profile_tables() {
  ProgramProfile profile;
  profile.dry_run = true;
  profile.peak.emplace();
  TableColumns shapes = {"profile", shape_columns(profile, {{"WHAT-IF", nullptr, true}}).headings()};
  shapes.with(thread_columns(profile).headings()).with(process_columns(profile).headings());
  shapes.columns.push_back(span_column());
  return {shapes, TableColumns{"profile what-if", what_if_columns()}.with({span_column()})};
}

}  // namespace flopcast::cli
