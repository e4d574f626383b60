#include "flopcast/cli/race/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Tone;
using search::Verdict;

std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

/// Returns the cell of an interval whose ends `text` writes, an empty one for none.
template <class Text>
Cell interval_cell(const std::optional<Interval>& interval, Text text) {
  return interval ? Cell(interval->low, interval->high, fmt::format("{} to {}", text(interval->low), text(interval->high))) : Cell("");
}

Cell verdict_cell(const RacedCommand& row) {
  if (!row.against_reference) {
    return "reference";
  }
  const Verdict verdict = row.against_reference->verdict;
  return report::toned(to_string(verdict), verdict == Verdict::faster ? Tone::good : verdict == Verdict::slower ? Tone::bad : Tone::plain);
}

Columns<RacedCommand> columns_of(bool shows_failures) {
  using Row = RacedCommand;
  using Ratio = search::ReferenceRatio;
  Columns<Row> columns;
  columns.show<&Row::name>("command", "command");
  columns.add(shown<&Ratio::verdict>(), verdict_cell);
  columns.add(shown<&Ratio::ratio>(), [](const Row& row) {
    const std::optional<double> ratio = row.against_reference ? row.against_reference->ratio : std::nullopt;
    return ratio ? Cell(*ratio, ratio_text(*ratio)) : Cell("");
  });
  columns.add(interval(shown<&Ratio::interval>("ratio", "interval")), [](const Row& row) {
    return interval_cell(row.against_reference ? row.against_reference->interval : std::nullopt, ratio_text);
  });
  columns.show<&Row::elapsed>("", "median");
  columns.add(interval(shown<&Row::elapsed_interval>("elapsed_seconds", "its 95 % interval")),
              [](const Row& row) { return interval_cell(row.elapsed_interval, format_seconds); });
  columns.show<&Row::user>("", "user");
  columns.show<&Row::system>("", "system");
  columns.show<&Row::resident_bytes>("", "memory");
  columns.show<&Row::runs>();
  columns.show<&Row::outliers>();
  if (shows_failures) {
    columns.show<&Row::failures>();
  }
  return columns;
}

std::string footnote_of(const CommandRace& race) {
  std::string text = fmt::format(
      "ratio: elapsed time over that of the reference, same up to {};\nall intervals of ratios hold with 95 % confidence together\n",
      format_percent(race.tolerance));
  if (race.control.ratio) {
    const std::string interval = interval_cell(race.control.interval, ratio_text).text;
    text += fmt::format("control: the reference over itself is {}{}, {}\n", ratio_text(*race.control.ratio),
                        interval.empty() ? "" : " (" + interval + ")", to_string(race.control.verdict));
  }
  if (race.start_up) {
    text += fmt::format("start-up: a program that does nothing takes {}, which no time is reduced by\n", format_seconds(*race.start_up));
  }
  return text;
}

}  // namespace

report::Table race_table(const CommandRace& race) {
  const bool fails = std::any_of(race.commands.begin(), race.commands.end(), [](const RacedCommand& one) { return one.failures > 0; });
  return columns_of(fails).table(race.commands, footnote_of(race));
}

std::vector<TableColumns> race_tables() { return {{"race", columns_of(true).headings()}}; }

}  // namespace flopcast::cli
