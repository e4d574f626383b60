#include "flopcast/cli/tune/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/cli/shared/validation_errors.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

/// Returns the block size, and the crossover point where the routine has one.
report::Cell block_cell(const algorithm::BlockParameters& blocks, bool with_crossover) {
  const auto nb = static_cast<double>(blocks.nb), nx = static_cast<double>(blocks.nx);
  return with_crossover ? report::Cell(nb, nx, fmt::format("{} / {}", nb, nx)) : report::whole(blocks.nb);
}

/// Returns the column of block_cell().
report::Column block_column(const std::string& which, bool with_crossover, std::string_view meaning) {
  return pairs(number_column(which + "_nb", which + (with_crossover ? " nb / nx" : " nb"), "", meaning), which + "_nx");
}

bool has_crossover(const std::vector<tuning::Decision>& decisions) {
  return std::any_of(decisions.begin(), decisions.end(), [](const tuning::Decision& d) { return d.default_.blocks.nx != 0; });
}

/// Returns the columns on what was measured; their cells are blank if nothing was.
Columns<tuning::Decision> measured_columns(bool crossover) {
  using tuning::Check;
  using tuning::Decision;
  Columns<Decision> columns;
  columns.show<&Decision::validation, &Check::default_seconds>("measured_default_seconds");
  columns.show<&Decision::validation, &Check::chosen_seconds>("measured_chosen_seconds");
  columns.add(shown<&tuning::Measured::error>(), [](const Decision& decision) {
    if (!decision.validation) {
      return report::Cell("");
    }
    const double error = decision.chosen.seconds / decision.validation->chosen_seconds - 1;
    return report::Cell(error, fmt::format("{:+.1f} %", 100 * error));
  });
  columns.add(block_column("best", crossover, "the block size that was fastest when measured, and its crossover point"),
              [crossover](const Decision& decision) {
                return decision.validation ? block_cell(decision.validation->best.blocks, crossover) : report::Cell("");
              });
  columns.show<&Decision::validation, &Check::yield>("", "yield");
  return columns;
}

bool is_partial(const tuning::Decision& decision) { return decision.considered < decision.candidates; }

Columns<tuning::Decision> decision_columns(bool crossover, bool measured, bool considered) {
  using tuning::Decision;
  using tuning::Forecast;
  Columns<Decision> columns;
  columns.add(size_column(), [](const Decision& decision) { return kernel::size_text(decision.sizes); });
  columns.add(block_column("default", crossover, "LAPACK's own block size, and its crossover point if the routine has one"),
              [crossover](const Decision& decision) { return block_cell(decision.default_.blocks, crossover); });
  columns.show<&Decision::default_, &Forecast::seconds>("default_seconds", "predicted");
  columns.add(block_column("chosen", crossover, "the best block size, and its crossover point"),
              [crossover](const Decision& decision) { return block_cell(decision.chosen.blocks, crossover); });
  columns.add(shown<&Decision::chosen, &Forecast::seconds>("chosen_seconds", "predicted"), [](const Decision& decision) {
    const Forecast& chosen = decision.chosen;
    return report::Cell(chosen.seconds, format_seconds(chosen.seconds) + (chosen.extrapolated > 0.01 ? " *" : ""));
  });
  columns.add(shown<&Decision::gain>(), [](const Decision& decision) {
    return report::Cell(decision.gain, format_percent(decision.gain), decision.gain > 0.01 ? report::Tone::good : report::Tone::plain);
  });
  columns.show<&Decision::ties>();
  columns.show<&Decision::regret>("", "max regret");
  if (considered) {
    columns.add(shown<&Decision::considered>(), [](const Decision& decision) {
      return report::valued(tuning::considered_text(decision), fmt::format("{}", decision.considered));
    });
  }
  if (measured) {
    columns.add_part(measured_columns(crossover), std::identity());
  }
  return columns;
}

report::Table decision_table(const std::vector<tuning::Decision>& decisions, bool measured, bool considered) {
  return decision_columns(has_crossover(decisions), measured, considered).table(decisions);
}

bool is_validated(const tuning::Decision& decision) { return decision.validation.has_value(); }

}  // namespace

report::Column routine_column() { return text_column("routine", "routine", "tuned routine"); }

report::Table validation_headings(const Tuning& tuning) {
  const bool crossover =
      std::any_of(tuning.parts.begin(), tuning.parts.end(), [](const RoutineTuning& part) { return has_crossover(part.decisions); });
  report::Table table{{decision_columns(crossover, false, false).headings().front()}, {}};
  const Columns<tuning::Decision> measured = measured_columns(crossover);
  table.columns.insert(table.columns.end(), measured.headings().begin(), measured.headings().end());
  for (const auto& [column, width] : std::initializer_list<std::pair<std::size_t, std::size_t>>{{0, 11}, {3, 9}, {4, 9}, {5, 9}}) {
    table.columns[column].width = width;
  }
  if (tuning.parts.size() > 1) {
    table.columns.insert(table.columns.begin(), routine_column())->width = 10;
  }
  return table;
}

std::vector<report::Cell> validation_row(const Tuning& tuning, std::size_t part, std::size_t problem) {
  std::vector<report::Cell> row;
  const RoutineTuning& routine = tuning.parts[part];
  if (tuning.parts.size() > 1) {
    row.emplace_back(routine.name());
  }
  const tuning::Decision& decision = routine.decisions[problem];
  row.emplace_back(kernel::size_text(decision.sizes));
  const std::vector<report::Cell> measured = measured_columns(has_crossover(routine.decisions)).cells(decision);
  row.insert(row.end(), measured.begin(), measured.end());
  return row;
}

std::string validation_text(const Tuning& tuning, const CommonOptions& common) {
  report::Table table = validation_headings(tuning);
  for (std::size_t part = 0; part < tuning.parts.size(); ++part) {
    for (std::size_t p = 0; p < tuning.parts[part].decisions.size(); ++p) {
      if (is_validated(tuning.parts[part].decisions[p])) {
        table.rows.push_back(validation_row(tuning, part, p));
      }
    }
  }
  return table.rows.empty() ? "" : measured_heading + render(table, common) + yield_legend;
}

std::string tuning_text(const Tuning& tuning, const CommonOptions& common) {
  std::string text;
  for (const RoutineTuning& part : tuning.parts) {
    if (tuning.parts.size() > 1) {
      text += fmt::format("{}{}\n\n", text.empty() ? "" : "\n", part.name());
    }
    text += render(decision_table(part.decisions, false, std::any_of(part.decisions.begin(), part.decisions.end(), is_partial)), common);
  }
  return text + '\n' + prediction_legend("predicted") + validation_text(tuning, common);
}

report::Table tuning_table(const Tuning& tuning) {
  report::Table table;
  std::vector<RoutineSizes> sizes;
  for (const RoutineTuning& part : tuning.parts) {
    report::Table own = decision_table(part.decisions, std::any_of(part.decisions.begin(), part.decisions.end(), is_validated), true);
    table.columns = std::move(own.columns);
    std::transform(part.decisions.begin(), part.decisions.end(), std::back_inserter(sizes), [&](const tuning::Decision& decision) {
      return RoutineSizes{part.routine, decision.sizes};
    });
    for (std::vector<report::Cell>& row : own.rows) {
      if (tuning.parts.size() > 1) {
        row.insert(row.begin(), part.name());
      }
      table.rows.push_back(std::move(row));
    }
  }
  if (tuning.parts.size() > 1) {
    table.columns.insert(table.columns.begin(), routine_column());
  }
  return with_size_columns(std::move(table), sizes);
}

std::vector<TableColumns> tune_tables() {
  TableColumns decisions = {"tune", {routine_column(), size_part_column()}};
  decisions.with(decision_columns(false, true, true).headings());
  return {decisions, {"tune lapack", lapack_table({}, true).columns}, {"tune program", program_table_columns()}};
}

std::string validation_summary(const RoutineTuning& part) {
  std::vector<double> yields, repeatability;
  ValidationErrors errors;
  for (const tuning::Decision& decision : part.decisions) {
    if (!decision.validation) {
      continue;
    }
    yields.push_back(decision.validation->yield);
    repeatability.push_back(decision.validation->repeatability);
    errors.add(*decision.validation);
  }
  if (yields.empty()) {
    return "";
  }
  return fmt::format("validation: yield median {:.1f} %, worst {:.1f} %; {}; measuring twice differs by {:.1f} %", 100 * median(yields),
                     100 * quantile(yields, 0), errors.text(), 100 * median(repeatability));
}

}  // namespace flopcast::cli
