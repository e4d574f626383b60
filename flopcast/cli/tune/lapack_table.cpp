#include "flopcast/cli/tune/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

struct RoutineSummary {
  std::size_t decided = 0;  ///< number of decided sizes
  double gain = 0, best_gain = 0, regret = 0;
  report::Cell blocks = "";
};

/// Sums up the sizes that are decided.
RoutineSummary summary(const LapackRoutine& outcome) {
  RoutineSummary result;
  std::vector<double> gains;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max(), largest = 0;
  for (const tuning::Decision& decision : outcome.decisions) {
    if (tuning::is_undecided(decision)) {
      continue;
    }
    gains.push_back(decision.gain);
    result.best_gain = std::max(result.best_gain, decision.gain);
    result.regret = std::max(result.regret, decision.regret);
    smallest = std::min(smallest, decision.chosen.blocks.nb);
    largest = std::max(largest, decision.chosen.blocks.nb);
  }
  result.decided = gains.size();
  result.gain = gains.empty() ? 0 : median(gains);
  if (!gains.empty()) {
    const std::string text = smallest == largest ? fmt::format("{}", smallest) : fmt::format("{} - {}", smallest, largest);
    result.blocks = report::Cell(static_cast<double>(smallest), static_cast<double>(largest), text);
  }
  return result;
}

std::vector<double> yields(const LapackRoutine& routine) {
  std::vector<double> all;
  for (const tuning::Decision& decision : routine.decisions) {
    if (decision.validation) {
      all.push_back(decision.validation->yield);
    }
  }
  return all;
}

using Row = std::pair<const LapackRoutine*, RoutineSummary>;

Columns<Row> columns_of(bool validated) {
  using report::Cell;
  const auto percent_if_decided = [](double RoutineSummary::*member) {
    return [member](const Row& row) {
      return row.second.decided == 0 ? Cell("") : Cell(row.second.*member, format_percent(row.second.*member));
    };
  };
  const auto kept_at = [](double share) {
    return [share](const Row& row) {
      const std::vector<double> all = yields(*row.first);
      return all.empty() ? std::optional<double>() : quantile(all, share);
    };
  };
  const auto has_decisions = [](const Row& row) { return !row.first->decisions.empty(); };
  Columns<Row> columns;
  columns.add(routine_column(), [](const Row& row) { return row.first->name(); });
  columns.number("sizes", "sizes", "", "number of sizes",
                 [=](const Row& row) { return has_decisions(row) ? std::optional(row.first->decisions.size()) : std::nullopt; });
  columns.add(interval(number_column("nb", "nb", "", "smallest and largest chosen block size")),
              [](const Row& row) { return row.second.blocks; });
  columns.number("gain", "gain, median", "fraction", "median gain over the decided sizes", Best::large, [=](const Row& row) {
    return toned(percent_if_decided(&RoutineSummary::gain)(row), row.second.gain > 0.01 ? report::Tone::good : report::Tone::plain);
  });
  columns.number("best_gain", "best", "fraction", "largest gain of a decided size", Best::large,
                 percent_if_decided(&RoutineSummary::best_gain));
  columns.number("regret", "max regret", "fraction", "largest max regret of a decided size", Best::small,
                 percent_if_decided(&RoutineSummary::regret));
  columns.add(shown<&LapackRoutine::seconds>("", "took"),
              [=](const Row& row) { return has_decisions(row) ? std::optional(row.first->seconds) : std::nullopt; });
  if (validated) {
    columns.number("gain_kept", "yield, median", "fraction", "median of the yields over the sizes (--validate)", Best::large, kept_at(0.5));
    columns.number("worst_gain_kept", "worst", "fraction", "smallest yield of a size (--validate)", Best::large, kept_at(0));
  }
  columns.add(titled(shown<&LapackRoutine::remark>(), ""), [](const Row& row) { return row.first->remark; });
  return columns;
}

}  // namespace

report::Table lapack_table(const LapackTuning& tuning, bool validated) {
  std::vector<Row> rows;
  for (const LapackRoutine& routine : tuning.routines) {
    rows.emplace_back(&routine, summary(routine));
  }
  return columns_of(validated).table(rows);
}

}  // namespace flopcast::cli
