#include "flopcast/cli/compare/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/report/spread.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Tone;
using search::Verdict;
using Row = ComparedQuantity;

constexpr std::size_t max_rows = 20;   ///< a longer table has the differences only
constexpr std::size_t max_names = 10;  ///< a longer list of quantities is cut

bool is_difference(const Row& row) { return row.verdict == Verdict::faster || row.verdict == Verdict::slower; }

/// Returns the column of a member with a unit, as the unit of its row says.
template <auto value>
void add_value(Columns<Row>& columns) {
  columns.add(shown<value>(), [](const Row& row) { return number_cell(row.*value, row.unit); });
}

template <auto ends>
void add_interval(Columns<Row>& columns) {
  columns.add(interval(shown<ends>()), [](const Row& row) {
    const std::optional<Interval>& given = row.*ends;
    return given ? Cell(given->low, given->high, fmt::format("{:.4g} to {:.4g}", given->low, given->high)) : Cell("");
  });
}

Columns<Row> columns_of(bool csv) {
  Columns<Row> columns;
  columns.show<&Row::what>("what", "time or rate");
  if (csv) {
    columns.show<&Row::unit>();
  }
  add_value<&Row::before>(columns);
  add_value<&Row::after>(columns);
  if (csv) {
    add_interval<&Row::before_interval>(columns);
    add_interval<&Row::after_interval>(columns);
  }
  columns.add(shown<&Row::ratio>("", "after / before"), [](const Row& row) { return Cell(row.ratio, fmt::format("{:.3f}", row.ratio)); });
  columns.add(interval(shown<&Row::ratio_interval>("ratio", "interval")), [](const Row& row) {
    const std::optional<Interval>& given = row.ratio_interval;
    return given ? Cell(given->low, given->high, fmt::format("{:.3f} to {:.3f}", given->low, given->high)) : Cell("");
  });
  columns.add(shown<&Row::verdict>(), [](const Row& row) {
    const Tone tone = row.verdict == Verdict::faster ? Tone::good : row.verdict == Verdict::slower ? Tone::bad : Tone::dim;
    return report::toned(to_string(row.verdict), tone);
  });
  return columns;
}

/// Returns a line for each verdict's number, and one for the largest loss.
std::string headline(const Comparison& comparison) {
  std::string text = fmt::format("{} compared: {} slower, {} faster, {} same, {} unsure.\n", comparison.quantities.size(),
                                 comparison.count(Verdict::slower), comparison.count(Verdict::faster), comparison.count(Verdict::same),
                                 comparison.count(Verdict::unsure));
  const Row* worst = nullptr;
  for (const Row& row : comparison.quantities) {
    const auto loss = [](const Row& one) { return std::fabs(std::log(one.ratio)); };
    worst = row.verdict == Verdict::slower && (worst == nullptr || loss(row) > loss(*worst)) ? &row : worst;
  }
  if (worst != nullptr) {
    text += fmt::format(
        "The largest loss: {}, {:+.1f} %{}.\n", worst->what, 100 * (worst->ratio - 1),
        comparison.fails ? "" : fmt::format(". All losses may be within the allowed {}", format_percent(comparison.fail_above)));
  }
  return text;
}

std::string names_text(const char* which, const std::vector<std::string>& names) {
  if (names.empty()) {
    return "";
  }
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), max_names)));
  return fmt::format("\nOnly {}: {}{}\n", which, fmt::join(first, "; "),
                     names.size() > max_names ? fmt::format("; and {} more", names.size() - max_names) : "");
}

std::string footnote_of(const Comparison& comparison, std::size_t hidden) {
  std::string text;
  if (hidden > 0) {
    text += fmt::format("not shown: {} with the verdict same or unsure; --csv and --json have all\n", hidden);
  }
  text += fmt::format("same: up to {}; all intervals of ratios hold with 95 % confidence together\n", format_percent(comparison.tolerance));
  const bool lacks_intervals = std::any_of(comparison.quantities.begin(), comparison.quantities.end(),
                                           [](const Row& row) { return !row.before_interval || !row.after_interval; });
  if (lacks_intervals) {
    text += fmt::format("values without an interval: differences up to {} are unsure (--noise)\n", format_percent(comparison.noise));
  }
  return text;
}

}  // namespace

report::Table comparison_table(const Comparison& comparison) {
  return report::spread(columns_of(true).table(comparison.quantities), "what", comparison.quantities, &Row::labels);
}

std::vector<TableColumns> compare_tables() {
  const report::Column label =
      text_column("LABEL", "LABEL", "in CSV, in place of what: one part of the name, such as routine, flags, n or quantity");
  return {TableColumns{"compare", columns_of(true).headings()}.with({label})};
}

std::string comparison_text(const Comparison& comparison, const CommonOptions& common) {
  std::string text = headline(comparison);
  if (!comparison.settings.empty()) {
    text += fmt::format("\nThe documents differ in:\n- {}\n", fmt::join(comparison.settings, "\n- "));
  }
  std::vector<Row> rows = comparison.quantities;
  if (rows.size() > max_rows) {
    std::erase_if(rows, [](const Row& row) { return !is_difference(row); });
  }
  const std::size_t hidden = comparison.quantities.size() - rows.size();
  if (!rows.empty()) {
    text += '\n' + render(columns_of(false).table(rows, footnote_of(comparison, hidden)), common);
  } else {
    text += '\n' + footnote_of(comparison, hidden);
  }
  return text + names_text("before", comparison.only_before) + names_text("after", comparison.only_after);
}

}  // namespace flopcast::cli
