#include "flopcast/cli/profile/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace flopcast::cli {
namespace {

using interpose::CallSum;
using report::Align;
using report::Cell;
using report::Table;
using Row = std::vector<Cell>;

constexpr const char* unknown = "-";

Cell percent(double part, double whole) {
  const double value = whole > 0 ? 100 * part / whole : 0;
  return {value, fmt::format("{:.1f}", value)};
}

/// calls, time, % of calls, % of run, flops, rate, % of peak: what every table has.
void add_sum_columns(Table& table, const ProgramView& view) {
  table.columns.push_back({"calls"});
  if (view.summary.dry_run) {
    table.columns.push_back({"skipped"});
  }
  table.columns.insert(table.columns.end(), {{"time", Align::right, "seconds"},
                                             {"share", Align::right, "percent_of_calls"},
                                             {"of run", Align::right, "percent_of_run"},
                                             {"flops"},
                                             {"rate", Align::right, "flops_per_second"}});
  if (view.peak) {
    table.columns.push_back({"of peak", Align::right, "percent_of_peak"});
  }
}

void add_sum_cells(Row& row, const CallSum& sum, const ProgramView& view) {
  row.push_back(report::whole(sum.calls));
  if (view.summary.dry_run) {
    row.push_back(report::whole(sum.skipped));
  }
  row.emplace_back(sum.seconds, format_seconds(sum.seconds));
  row.push_back(percent(sum.seconds, view.breakdown.all().seconds));
  row.push_back(percent(sum.seconds, view.summary.seconds));
  const bool computes = sum.flops > 0;
  const double rate = sum.described_seconds > 0 ? sum.flops / sum.described_seconds : 0;
  row.push_back(computes ? Cell(sum.flops, fmt::format("{:.3g}", sum.flops)) : Cell(unknown));
  row.push_back(computes && rate > 0 ? Cell(rate, format_flop_rate(rate)) : Cell(unknown));
  if (view.peak) {
    const std::optional<double> share = interpose::efficiency(sum, view.peak);
    row.push_back(share ? percent(*share, 1) : Cell(unknown));
  }
}

/// The predicted time, and for the place of the recording how much of the expected speed was reached.
void add_forecast_cells(Row& row, const std::vector<ShapeForecast>& forecasts, const std::vector<std::optional<Seconds>>& seconds,
                        Seconds recorded) {
  for (std::size_t i = 0; i < forecasts.size(); ++i) {
    row.push_back(seconds[i] ? Cell(*seconds[i], format_seconds(*seconds[i])) : Cell(unknown));
    if (forecasts[i].same_place) {
      row.push_back(seconds[i] && recorded > 0 ? percent(*seconds[i], recorded) : Cell(unknown));
    }
  }
}

/// Recorded seconds of the shapes from `begin` on that have a forecast.
Seconds recorded_from(const std::vector<ShapeForecast>& forecasts, const std::vector<interpose::ShapeSum>& shapes, std::size_t begin) {
  Seconds sum = 0;
  for (std::size_t i = begin; i < shapes.size(); ++i) {
    sum += !forecasts.empty() && forecasts.front().seconds[i] ? shapes[i].sum.seconds : 0;
  }
  return sum;
}

/// Sum of the forecasts of the shapes from `begin` on; nothing if there is none.
std::optional<Seconds> forecast_from(const ShapeForecast& forecast, std::size_t begin) {
  std::optional<Seconds> sum;
  for (std::size_t i = begin; i < forecast.seconds.size(); ++i) {
    if (forecast.seconds[i]) {
      sum = sum.value_or(0) + *forecast.seconds[i];
    }
  }
  return sum;
}

/// A row for the shapes from `begin` on.
Row sum_row(const std::string& title, std::size_t begin, const ProgramView& view, const std::vector<ShapeForecast>& forecasts) {
  const auto& shapes = view.breakdown.shapes();
  CallSum sum;
  for (std::size_t i = begin; i < shapes.size(); ++i) {
    sum += shapes[i].sum;
  }
  Row row = {title, "", ""};
  add_sum_cells(row, sum, view);
  std::vector<std::optional<Seconds>> seconds;
  for (const ShapeForecast& forecast : forecasts) {
    seconds.push_back(forecast_from(forecast, begin));
  }
  add_forecast_cells(row, forecasts, seconds, recorded_from(forecasts, shapes, begin));
  return row;
}

}  // namespace

std::string shown_flags(const interpose::ShapeSum& shape) { return shape.first_calls ? first_calls_name : shape.flags; }

Table routine_table(const ProgramView& view) {
  Table table;
  table.columns = {{"routine", Align::left}};
  add_sum_columns(table, view);
  for (const interpose::RoutineSum& routine : view.breakdown.routines()) {
    Row row = {view.summary.names[routine.name]};
    add_sum_cells(row, routine.sum, view);
    table.rows.push_back(std::move(row));
  }
  if (view.breakdown.first_calls().calls > 0) {
    Row first = {first_calls_name};
    add_sum_cells(first, view.breakdown.first_calls(), view);
    table.rows.push_back(std::move(first));
  }
  Row all = {"all"};
  add_sum_cells(all, view.breakdown.all(), view);
  table.rows.push_back(std::move(all));
  return table;
}

Table shape_table(const ProgramView& view, std::size_t most, const std::vector<ShapeForecast>& forecasts) {
  Table table;
  table.columns = {{"routine", Align::left}, {"flags", Align::left}, {"sizes", Align::left}};
  add_sum_columns(table, view);
  for (const ShapeForecast& forecast : forecasts) {
    table.columns.push_back({forecast.title, Align::right, forecast.title + "_seconds"});
    if (forecast.same_place) {
      table.columns.push_back({"of model", Align::right, "percent_of_model"});
    }
  }
  const auto& shapes = view.breakdown.shapes();
  const std::size_t shown = shapes.size() <= most + 1 ? shapes.size() : most;  // a rest of one is no shorter
  for (std::size_t i = 0; i < shown; ++i) {
    Row row = {view.summary.names[shapes[i].name], shown_flags(shapes[i]), to_string(shapes[i].sizes)};
    add_sum_cells(row, shapes[i].sum, view);
    std::vector<std::optional<Seconds>> seconds;
    for (const ShapeForecast& forecast : forecasts) {
      seconds.push_back(forecast.seconds[i]);
    }
    add_forecast_cells(row, forecasts, seconds, shapes[i].sum.seconds);
    table.rows.push_back(std::move(row));
  }
  if (shown < shapes.size()) {
    table.rows.push_back(sum_row(fmt::format("{} other shapes", shapes.size() - shown), shown, view, forecasts));
  }
  table.rows.push_back(sum_row("all", 0, view, forecasts));
  return table;
}

Table thread_table(const ProgramView& view) {
  Table table;
  table.columns = {{"thread", Align::left}, {"process", Align::left}, {"most in", Align::left}};
  add_sum_columns(table, view);
  for (const interpose::ThreadSum& thread : view.breakdown.threads()) {
    const interpose::RecordedThread& identity = view.summary.threads[thread.thread];
    Row row = {fmt::format("{}", identity.tid), fmt::format("{}", identity.pid), view.summary.names[thread.heaviest]};
    add_sum_cells(row, thread.sum, view);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table process_table(const ProgramView& view) {
  Table table;
  table.columns = {{"process", Align::left}, {"command", Align::left}, {"threads"}};
  add_sum_columns(table, view);
  for (const interpose::ProcessSum& process : view.breakdown.processes()) {
    const auto& known = view.summary.processes;
    const auto at = std::find_if(known.begin(), known.end(), [&](const auto& p) { return p.pid == process.pid; });
    const std::string program = at == known.end() || at->command.empty() ? unknown : at->command.front();
    Row row = {fmt::format("{}", process.pid), program, report::whole(static_cast<long long>(process.threads))};
    add_sum_cells(row, process.sum, view);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace flopcast::cli
