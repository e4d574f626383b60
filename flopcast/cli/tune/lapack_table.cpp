#include "flopcast/cli/tune/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

struct Summary {
  std::size_t decided = 0;  ///< number of decided sizes
  double gain = 0, best_gain = 0, regret = 0;
  std::string blocks;
};

/// Sums up the sizes that are decided.
Summary summary(const LapackRoutine& outcome) {
  Summary result;
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
  result.blocks = gains.empty() ? "" : smallest == largest ? fmt::format("{}", smallest) : fmt::format("{} - {}", smallest, largest);
  return result;
}

std::vector<double> gains_kept(const LapackRoutine& routine) {
  std::vector<double> all;
  for (const tuning::Decision& decision : routine.decisions) {
    if (decision.validation) {
      all.push_back(decision.validation->gain_kept);
    }
  }
  return all;
}

}  // namespace

report::Table lapack_table(const LapackTuning& tuning, bool validated) {
  report::Table table;
  table.columns = columns<"tune lapack">({"routine", "sizes", "nb", "gain", "best_gain", "regret", "seconds"});
  if (validated) {
    add_columns<"tune lapack">(table.columns, {"gain_kept", "worst_gain_kept"});
  }
  table.columns.push_back(column<"tune lapack">("remark"));
  for (const LapackRoutine& outcome : tuning.routines) {
    std::vector<report::Cell> row = {outcome.name()};
    if (outcome.decisions.empty()) {
      row.resize(table.columns.size() - 1, report::Cell(""));
    } else {
      const Summary s = summary(outcome);
      row.insert(row.end(),
                 {report::whole(static_cast<long long>(outcome.decisions.size())),
                  report::Cell(s.blocks),
                  s.decided == 0 ? report::Cell("")
                                 : report::Cell(s.gain, format_percent(s.gain), s.gain > 0.01 ? report::Tone::good : report::Tone::plain),
                  s.decided == 0 ? report::Cell("") : report::Cell(s.best_gain, format_percent(s.best_gain)),
                  s.decided == 0 ? report::Cell("") : report::Cell(s.regret, format_percent(s.regret)),
                  {outcome.seconds, format_seconds(outcome.seconds)}});
      if (validated) {
        const std::vector<double> all = gains_kept(outcome);
        const auto cell = [&](double value) { return all.empty() ? report::Cell("") : report::Cell(value, format_percent(value)); };
        row.insert(row.end(), {cell(all.empty() ? 0 : median(all)), cell(all.empty() ? 0 : quantile(all, 0))});
      }
    }
    row.emplace_back(outcome.remark);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace flopcast::cli
