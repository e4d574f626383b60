#include "flopcast/cli/sample/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Column;

bool is_one_routine(std::span<const Call> calls) {
  return std::all_of(calls.begin(), calls.end(), [&](const Call& call) { return call.routine == calls.front().routine; });
}

bool is_shown_if_varied(Kind kind) {
  return kind == Kind::flag || kind == Kind::sign || kind == Kind::leading_dimension || kind == Kind::increment || kind == Kind::work_size;
}

/// Returns true if argument i takes several values among calls of equal sizes. Leading dimensions that merely follow sizes do not.
bool is_varied(std::span<const Call> calls, std::size_t i) {
  std::map<std::vector<std::int64_t>, std::int64_t> value_of_sizes;
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    const InlineVector<std::int64_t, 6> own = sizes(call);
    return value_of_sizes.try_emplace({own.begin(), own.end()}, call.arguments[i]).first->second != call.arguments[i];
  });
}

/// Indices of the arguments that get a column.
std::vector<std::size_t> shown_arguments(std::span<const Call> calls) {
  std::vector<std::size_t> shown;
  const std::vector<Argument>& arguments = calls.front().routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Kind::size || (is_shown_if_varied(arguments[i].kind) && is_varied(calls, i))) {
      shown.push_back(i);
    }
  }
  return shown;
}

/// Columns that distinguish calls: the sizes of one routine and every other argument that differs, or the whole call where routines differ.
class CallColumns {
 public:
  explicit CallColumns(std::span<const Call> calls) {
    if (is_one_routine(calls)) {
      arguments_ = shown_arguments(calls);
      routine_ = calls.front().routine;
    }
  }

  [[nodiscard]] std::vector<Column> columns() const {
    if (routine_ == nullptr) {
      return cli::columns<"sample">({"call"});
    }
    std::vector<Column> columns;
    for (const std::size_t i : arguments_) {
      const std::string& name = routine_->arguments[i].name;
      columns.push_back(titled(column<"sample">("ARGUMENT"), name, name));
    }
    return columns;
  }

  [[nodiscard]] std::vector<Cell> cells(const Call& call) const {
    if (routine_ == nullptr) {
      return {kernel::format_call(call)};
    }
    std::vector<Cell> cells;
    for (const std::size_t i : arguments_) {
      const bool is_flag = routine_->arguments[i].kind == Kind::flag;
      cells.push_back(is_flag ? Cell(std::string(1, call.flag(i))) : report::whole(call.arguments[i]));
    }
    return cells;
  }

 private:
  const Routine* routine_ = nullptr;
  std::vector<std::size_t> arguments_;
};

std::vector<Call> calls_of(std::span<const SampledCall> sampled) {
  std::vector<Call> calls;
  calls.reserve(sampled.size());
  for (const SampledCall& one : sampled) {
    calls.push_back(one.call);
  }
  return calls;
}

Cell time_cell(Seconds seconds) { return {seconds, format_seconds(seconds)}; }

Cell interval_cell(const Interval& interval) {
  return {interval.low, interval.high, fmt::format("[{}, {}]", format_seconds(interval.low), format_seconds(interval.high))};
}

/// Returns the numbers of a sample's warnings in `notes`, counted from 1. New warnings are added to `notes`.
std::string note_numbers(const Sample& sample, std::vector<std::string>& notes) {
  std::vector<std::size_t> numbers;
  for (const std::string& warning : sample.warnings) {
    const auto found = std::find(notes.begin(), notes.end(), warning);
    numbers.push_back(static_cast<std::size_t>(found - notes.begin()) + 1);
    if (found == notes.end()) {
      notes.push_back(warning);
    }
  }
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::vector<Cell> statistics_cells(const SampledCall& one) {
  const Summary summary = summarise(one.sample.times());
  if (summary.count == 0) {
    return {report::whole(0), "-", "-", "-", "-", "-", "-", "-"};
  }
  const double rate = flops(one.call) / summary.median;
  const double bandwidth = static_cast<double>(footprint_bytes(one.call)) / summary.median;
  const double spread = (summary.third_quartile - summary.first_quartile) / summary.median;
  return {report::whole(summary.count),
          time_cell(summary.minimum),
          time_cell(summary.median),
          interval_cell(summary.median_interval),
          time_cell(summary.mean),
          Cell(rate, fmt::format("{:.3g}", 1e-9 * rate)),
          Cell(bandwidth, fmt::format("{:.3g}", 1e-9 * bandwidth)),
          Cell(spread, format_percent(spread))};
}

}  // namespace

report::Table statistics_table(std::span<const SampledCall> sampled, std::vector<std::string>& notes) {
  const CallColumns calls(calls_of(sampled));
  report::Table table;
  table.columns = calls.columns();
  add_columns<"sample">(table.columns, {"cache", "repetitions", "minimum_seconds", "median_seconds", "median_seconds interval",
                                        "mean_seconds", "flops_per_second", "bytes_per_second", "relative_interquartile_range", "notes"});
  for (const SampledCall& one : sampled) {
    std::vector<Cell> row = calls.cells(one.call);
    row.emplace_back(one.cache);
    for (Cell& cell : statistics_cells(one)) {
      row.push_back(std::move(cell));
    }
    row.emplace_back(note_numbers(one.sample, notes));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table plan_table(std::span<const PlannedSample> plan) {
  report::Table table;
  table.columns = columns<"sample">({"call", "cache", "flops", "footprint_bytes", "batch"});
  for (const PlannedSample& one : plan) {
    const auto bytes = static_cast<double>(footprint_bytes(one.call));
    table.rows.push_back({kernel::format_call(one.call), one.cache, Cell(flops(one.call), fmt::format("{:.4g}", flops(one.call))),
                          Cell(bytes, format_bytes(bytes)), report::whole(one.batch)});
  }
  return table;
}

report::Table repetitions_table(std::span<const SampledCall> sampled) {
  const CallColumns calls(calls_of(sampled));
  report::Table table;
  table.columns = calls.columns();
  add_columns<"sample">(table.columns, {"cache", "at_seconds", "seconds", "drift", "normalised_seconds", "discarded"});
  for (const SampledCall& one : sampled) {
    for (const Repetition& repetition : one.sample.repetitions) {
      std::vector<Cell> row = calls.cells(one.call);
      row.emplace_back(one.cache);
      row.push_back(time_cell(repetition.at));
      row.push_back(time_cell(repetition.seconds));
      row.emplace_back(repetition.drift, fmt::format("{:.4f}", repetition.drift));
      row.push_back(time_cell(repetition.normalised()));
      row.emplace_back(repetition.discarded ? "yes" : "no");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace flopcast::cli
