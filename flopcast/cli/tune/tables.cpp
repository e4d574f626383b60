#include "flopcast/cli/tune/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/cli/shared/validation_errors.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

std::string block_text(const algorithm::BlockParameters& blocks, bool with_crossover) {
  return with_crossover ? fmt::format("{} / {}", blocks.nb, blocks.nx) : fmt::format("{}", blocks.nb);
}

bool has_crossover(const std::vector<tuning::Decision>& decisions) {
  return std::any_of(decisions.begin(), decisions.end(), [](const tuning::Decision& d) { return d.default_.blocks.nx != 0; });
}

/// Returns what was measured; blank cells if nothing was.
std::vector<report::Cell> measured_cells(const tuning::Decision& decision, bool crossover) {
  if (!decision.validation) {
    return {"", "", "", "", ""};
  }
  const tuning::Check& check = *decision.validation;
  const double error = decision.chosen.seconds / check.chosen_seconds - 1;
  return {{check.default_seconds, format_seconds(check.default_seconds)},
          {check.chosen_seconds, format_seconds(check.chosen_seconds)},
          {error, fmt::format("{:+.1f} %", 100 * error)},
          block_text(check.best.blocks, crossover),
          {check.gain_kept, format_percent(check.gain_kept)}};
}

bool is_partial(const tuning::Decision& decision) { return decision.considered < decision.candidates; }

report::Table decision_table(const std::vector<tuning::Decision>& decisions, bool measured, bool considered) {
  const bool crossover = has_crossover(decisions);
  const std::string nb = crossover ? "nb / nx" : "nb";
  report::Table table;
  table.columns = columns<"tune">({"n", "default_nb", "default_seconds", "chosen_nb", "chosen_seconds", "gain", "ties", "regret"});
  table.columns[1].title = "default " + nb;
  table.columns[3].title = "chosen " + nb;
  if (considered) {
    add_columns<"tune">(table.columns, {"considered"});
  }
  if (measured) {
    add_columns<"tune">(table.columns, {"measured_default_seconds", "measured_chosen_seconds", "error", "best_nb", "gain_kept"});
    table.columns[table.columns.size() - 2].title = "best " + nb;
  }
  for (const tuning::Decision& d : decisions) {
    std::vector<report::Cell> row = {kernel::size_text(d.sizes),
                                     block_text(d.default_.blocks, crossover),
                                     {d.default_.seconds, format_seconds(d.default_.seconds)},
                                     block_text(d.chosen.blocks, crossover),
                                     {d.chosen.seconds, format_seconds(d.chosen.seconds) + (d.chosen.extrapolated > 0.01 ? " *" : "")},
                                     {d.gain, format_percent(d.gain), d.gain > 0.01 ? report::Tone::good : report::Tone::plain},
                                     fmt::format("{}", fmt::join(d.ties, " ")),
                                     {d.regret, format_percent(d.regret)}};
    if (considered) {
      row.emplace_back(considered_text(d));
    }
    if (measured) {
      const std::vector<report::Cell> cells = measured_cells(d, crossover);
      row.insert(row.end(), cells.begin(), cells.end());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool is_validated(const tuning::Decision& decision) { return decision.validation.has_value(); }

}  // namespace

report::Table validation_headings(const Tuning& tuning) {
  static constexpr std::size_t sizes_width = 11, name_width = 10, blocks_width = 9;
  report::Table table;
  if (tuning.parts.size() > 1) {
    table.columns.push_back(widened(column<"tune">("routine"), name_width));
  }
  const bool crossover =
      std::any_of(tuning.parts.begin(), tuning.parts.end(), [](const RoutineTuning& part) { return has_crossover(part.decisions); });
  table.columns.insert(table.columns.end(),
                       {widened(column<"tune">("n"), sizes_width), column<"tune">("measured_default_seconds"),
                        column<"tune">("measured_chosen_seconds"), widened(column<"tune">("error"), blocks_width),
                        widened(titled(column<"tune">("best_nb"), crossover ? "best nb / nx" : "best nb"), blocks_width),
                        widened(column<"tune">("gain_kept"), blocks_width)});
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
  const std::vector<report::Cell> measured = measured_cells(decision, has_crossover(routine.decisions));
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
  return table.rows.empty() ? "" : measured_heading + render(table, common) + gain_kept_legend;
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
  for (const RoutineTuning& part : tuning.parts) {
    report::Table own = decision_table(part.decisions, std::any_of(part.decisions.begin(), part.decisions.end(), is_validated), true);
    table.columns = std::move(own.columns);
    for (std::vector<report::Cell>& row : own.rows) {
      if (tuning.parts.size() > 1) {
        row.insert(row.begin(), part.name());
      }
      table.rows.push_back(std::move(row));
    }
  }
  if (tuning.parts.size() > 1) {
    table.columns.insert(table.columns.begin(), column<"tune">("routine"));
  }
  return table;
}

std::string validation_summary(const RoutineTuning& part) {
  std::vector<double> kept, repeatability;
  ValidationErrors errors;
  for (const tuning::Decision& decision : part.decisions) {
    if (!decision.validation) {
      continue;
    }
    kept.push_back(decision.validation->gain_kept);
    repeatability.push_back(decision.validation->repeatability);
    errors.add(*decision.validation);
  }
  if (kept.empty()) {
    return "";
  }
  return fmt::format("validation: gain kept median {:.1f} %, worst {:.1f} %; {}; measuring twice differs by {:.1f} %", 100 * median(kept),
                     100 * quantile(kept, 0), errors.text(), 100 * median(repeatability));
}

}  // namespace flopcast::cli
