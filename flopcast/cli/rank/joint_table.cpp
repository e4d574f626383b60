#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>

#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/decision.hpp"

namespace flopcast::cli {
namespace {

std::string tie_text(const tuning::JointRank& rank, const Ranking& ranking) {
  const PlaceRanking& place = ranking.places[rank.place];
  const std::string variant = variant_text(rank.best.variant, place);
  return ranking.places.size() > 1 ? fmt::format("{} ({})", variant, place_text(place)) : variant;
}

/// Returns the time of the first place's default, which a program has without any choice.
Seconds default_seconds(const Ranking& ranking, std::size_t problem) { return ranking.places.front().decisions[problem].default_.seconds; }

std::vector<tuning::Decision> decisions_of(const Ranking& ranking, std::size_t problem) {
  std::vector<tuning::Decision> all;
  for (const PlaceRanking& place : ranking.places) {
    all.push_back(place.decisions[problem]);
  }
  return all;
}

/// The choice for a problem among all places.
struct JointChoice {
  const Ranking* ranking;
  std::size_t problem;

  [[nodiscard]] const tuning::JointDecision& decision() const { return ranking->joint[problem]; }
  [[nodiscard]] const tuning::JointRank& chosen() const { return decision().ranking.front(); }
  [[nodiscard]] const PlaceRanking& place() const { return ranking->places[chosen().place]; }
  [[nodiscard]] tuning::MeasuredJoint runs() const { return tuning::measured_joint(chosen(), decisions_of(*ranking, problem)); }
};

report::Cell ties_cell(const JointChoice& row) {
  std::vector<std::string> ties;
  for (const tuning::JointRank& rank : row.decision().ranking) {
    if (rank.tied) {
      ties.push_back(tie_text(rank, *row.ranking));
    }
  }
  return counted_cell(ties.size(), fmt::format("{}", fmt::join(ties, ", ")));
}

Columns<JointChoice> columns_of(bool has_default, bool has_blocks, bool measured) {
  using report::Cell;
  using tuning::Forecast;
  using Row = JointChoice;
  const auto forecast = [](const Row& row) -> const Forecast& { return row.chosen().best; };
  Columns<Row> columns;
  columns.add(size_column(), [](const Row& row) { return kernel::size_text(row.decision().sizes); });
  columns.text("variant", "variant", "fastest variant in all libraries and numbers of threads",
               [forecast](const Row& row) { return variant_text(forecast(row).variant, row.place()); });
  if (has_blocks) {
    columns.add(nb_column(), [forecast](const Row& row) { return nb_cell(forecast(row).blocks); });
  }
  columns.add(shown<&PlaceRanking::threads>(), [](const Row& row) { return row.place().threads; });
  columns.add(blas_column(),
              [](const Row& row) { return row.place().blas.empty() ? row.place().environment.blas.name : row.place().blas; });
  columns.add(shown<&Forecast::seconds>("", "predicted"), [forecast](const Row& row) { return forecast(row).seconds; });
  columns.add(predicted_rate_column(),
              [forecast](const Row& row) { return row.place().decisions[row.problem].flops / forecast(row).seconds; });
  if (has_default) {
    columns.number("gain", "gain", "fraction", "predicted time of the first library's own routine over that of the choice, minus 1",
                   Best::large, [forecast](const Row& row) {
                     const double gain = default_seconds(*row.ranking, row.problem) / forecast(row).seconds - 1;
                     return Cell(gain, format_percent(gain), gain > 0.01 ? report::Tone::good : report::Tone::plain);
                   });
  }
  columns.text("ties", "ties", "choices that can't be told from this one", ties_cell);
  columns.add(shown<&tuning::JointDecision::regret>("", "max regret"), [](const Row& row) { return row.decision().regret; });
  if (measured) {
    columns.number("measured_seconds", "measured", "s", "median of runs of the choice (--validate)", [](const Row& row) {
      const tuning::MeasuredJoint runs = row.runs();
      return runs.chosen > 0 ? std::optional(runs.chosen) : std::nullopt;
    });
    columns.number("measured_regret", "measured regret", "fraction", "what the choice lost when everything was run (--validate)",
                   Best::small, [](const Row& row) {
                     const tuning::MeasuredJoint runs = row.runs();
                     return runs.chosen > 0 ? std::optional(runs.chosen / runs.best - 1) : std::nullopt;
                   });
  }
  return columns;
}

}  // namespace

std::vector<report::Column> joint_columns() { return columns_of(true, true, true).headings(); }

report::Table joint_table(const Ranking& ranking) {
  const bool measured = std::any_of(ranking.places.begin(), ranking.places.end(), has_validations);
  std::vector<JointChoice> rows;
  for (std::size_t p = 0; p < ranking.joint.size(); ++p) {
    rows.push_back({&ranking, p});
  }
  return columns_of(default_seconds(ranking, 0) > 0, !is_of_drivers(ranking), measured).table(rows, prediction_legend("predicted"));
}

}  // namespace flopcast::cli
