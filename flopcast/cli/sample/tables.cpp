#include "flopcast/cli/sample/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Column;

Column argument_column() { return number_column("ARGUMENT", "ARGUMENT", "", "size or other argument in which the calls differ"); }
Column call_column() { return text_column("call", "call", "the call, where routines differ"); }
Column cache_column() { return text_column("cache", "cache", "state of the caches before each call"); }

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

/// Returns columns that distinguish calls: the sizes of one routine and every other argument that differs, or the whole call where routines
/// differ.
Columns<Call> call_columns(std::span<const Call> calls) {
  Columns<Call> columns;
  if (!is_one_routine(calls)) {
    columns.add(call_column(), kernel::format_call);
    return columns;
  }
  for (const std::size_t i : shown_arguments(calls)) {
    const Argument& argument = calls.front().routine->arguments[i];
    columns.add(titled(argument_column(), argument.name, argument.name), [i, is_flag = argument.kind == Kind::flag](const Call& call) {
      return is_flag ? Cell(std::string(1, call.flag(i))) : report::whole(call.arguments[i]);
    });
  }
  return columns;
}

std::vector<Call> calls_of(std::span<const SampledCall> sampled) {
  std::vector<Call> calls;
  calls.reserve(sampled.size());
  for (const SampledCall& one : sampled) {
    calls.push_back(one.call);
  }
  return calls;
}

/// Returns the numbers of a sample's warnings in `notes`, counted from 1. New warnings are added to `notes`.
Cell note_numbers(const Sample& sample, std::vector<std::string>& notes) {
  std::vector<std::size_t> numbers;
  for (const std::string& warning : sample.warnings) {
    const auto found = std::find(notes.begin(), notes.end(), warning);
    numbers.push_back(static_cast<std::size_t>(found - notes.begin()) + 1);
    if (found == notes.end()) {
      notes.push_back(warning);
    }
  }
  return counted_cell(numbers.size(), fmt::format("{}", fmt::join(numbers, ",")));
}

/// A sample with the summary of its times.
struct SummarisedCall {
  const SampledCall* sampled;
  Summary times;
};

Columns<SummarisedCall> statistics_columns(const Columns<Call>& calls, std::vector<std::string>& notes) {
  using Row = SummarisedCall;
  const auto known = [](auto cell_of) {
    return [cell_of](const Row& row) { return row.times.count == 0 ? Cell("-") : Cell(cell_of(row)); };
  };
  const auto time_of = [known](Seconds Summary::*member) {
    return known([member](const Row& row) { return Cell(row.times.*member, format_seconds(row.times.*member)); });
  };
  const auto rate_of = [known](auto amount_of) {
    return known([amount_of](const Row& row) {
      const double rate = static_cast<double>(amount_of(row.sampled->call)) / row.times.median;
      return Cell(rate, fmt::format("{:.3g}", 1e-9 * rate));
    });
  };
  Columns<Row> columns;
  columns.add_part(calls, [](const Row& row) { return row.sampled->call; });
  columns.add(cache_column(), [](const Row& row) { return row.sampled->cache; });
  columns.add(shown<&Summary::count>("repetitions", "reps"), &Row::times, &Summary::count);
  columns.add(shown<&Summary::minimum>("minimum_seconds", "min"), time_of(&Summary::minimum));
  columns.add(shown<&Summary::median>("median_seconds"), time_of(&Summary::median));
  columns.add(texts(interval(shown<&Summary::median_interval>("median_seconds", "95 % interval"))), known([](const Row& row) {
                const Interval& range = row.times.median_interval;
                return Cell(range.low, range.high, fmt::format("[{}, {}]", format_seconds(range.low), format_seconds(range.high)));
              }));
  columns.add(shown<&Summary::mean>("mean_seconds"), time_of(&Summary::mean));
  columns.number("flops_per_second", "GFLOP/s", "flop/s", "flops over the median time",
                 rate_of([](const Call& call) { return flops(call); }));
  columns.number("bytes_per_second", "GB/s", "B/s", "footprint over the median time",
                 rate_of([](const Call& call) { return footprint_bytes(call); }));
  columns.number("relative_interquartile_range", "spread", "fraction", "distance of the quartiles over the median", Best::small,
                 known([](const Row& row) {
                   const double spread = (row.times.third_quartile - row.times.first_quartile) / row.times.median;
                   return Cell(spread, format_percent(spread));
                 }));
  columns.text("notes", "notes", "numbers of the notes below the table",
               [&notes](const Row& row) { return note_numbers(row.sampled->sample, notes); });
  return columns;
}

Columns<PlannedSample> plan_columns() {
  Columns<PlannedSample> columns;
  columns.add(call_column(), [](const PlannedSample& one) { return kernel::format_call(one.call); });
  columns.add(cache_column(), &PlannedSample::cache);
  columns.number("flops", "flops", "flop", "flops of the call (--dry-run)", [](const PlannedSample& one) { return flops(one.call); });
  columns.number("footprint_bytes", "footprint", "B", "bytes that the call reads or writes (--dry-run)",
                 [](const PlannedSample& one) { return footprint_bytes(one.call); });
  columns.add(only_with(shown<&Sample::batch>(), "--dry-run"), &PlannedSample::batch);
  return columns;
}

/// A repetition of a sample.
struct SampledRepetition {
  const SampledCall* sampled;
  const Repetition* repetition;
};

Columns<SampledRepetition> repetition_columns(const Columns<Call>& calls) {
  using Row = SampledRepetition;
  Columns<Row> columns;
  columns.add_part(calls, [](const Row& row) { return row.sampled->call; });
  columns.add(cache_column(), [](const Row& row) { return row.sampled->cache; });
  columns.add(only_with(shown<&Repetition::at>("at_seconds"), "--raw"), &Row::repetition, &Repetition::at);
  columns.add(only_with(shown<&Repetition::seconds>(), "--raw"), &Row::repetition, &Repetition::seconds);
  columns.add(only_with(shown<&Repetition::drift>(), "--raw"),
              [](const Row& row) { return Cell(row.repetition->drift, fmt::format("{:.4f}", row.repetition->drift)); });
  columns.number("normalised_seconds", "normalised", "s", "the time divided by the drift (--raw)",
                 [](const Row& row) { return row.repetition->normalised(); });
  columns.add(only_with(numbers(shown<&Repetition::discarded>()), "--raw"), &Row::repetition, &Repetition::discarded);
  return columns;
}

}  // namespace

report::Table statistics_table(std::span<const SampledCall> sampled, std::vector<std::string>& notes) {
  std::vector<SummarisedCall> rows;
  for (const SampledCall& one : sampled) {
    rows.push_back({&one, summarise(one.sample.times())});
  }
  return statistics_columns(call_columns(calls_of(sampled)), notes).table(rows);
}

report::Table plan_table(std::span<const PlannedSample> plan) { return plan_columns().table(plan); }

report::Table repetitions_table(std::span<const SampledCall> sampled) {
  std::vector<SampledRepetition> rows;
  for (const SampledCall& one : sampled) {
    for (const Repetition& repetition : one.sample.repetitions) {
      rows.push_back({&one, &repetition});
    }
  }
  return repetition_columns(call_columns(calls_of(sampled))).table(rows);
}

std::vector<TableColumns> sample_tables() {
  std::vector<std::string> notes;
  TableColumns all = {"sample", {argument_column(), call_column()}};
  all.with(statistics_columns({}, notes).headings()).with(repetition_columns({}).headings()).with(plan_columns().headings());
  return {all};
}

}  // namespace flopcast::cli
