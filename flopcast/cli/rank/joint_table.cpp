#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "flopcast/cli/rank/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/joint.hpp"

namespace flopcast::cli {
namespace {

std::string tie_text(const tuning::JointRank& rank, const Ranking& ranking) {
  const PlaceRanking& place = ranking.places[rank.place];
  const std::string variant = variant_text(rank.best.variant, place);
  return ranking.places.size() > 1 ? fmt::format("{} ({})", variant, place_name(place)) : variant;
}

/// Returns the time of the first place's default, which a program has without any choice.
Seconds default_seconds(const Ranking& ranking, std::size_t problem) { return ranking.places.front().decisions[problem].default_.seconds; }

bool has_validations(const PlaceRanking& place) {
  return std::any_of(place.decisions.begin(), place.decisions.end(), [](const tuning::Decision& d) { return d.validation.has_value(); });
}

std::vector<tuning::Decision> decisions_of(const Ranking& ranking, std::size_t problem) {
  std::vector<tuning::Decision> all;
  for (const PlaceRanking& place : ranking.places) {
    all.push_back(place.decisions[problem]);
  }
  return all;
}

}  // namespace

report::Table joint_table(const Ranking& ranking) {
  const bool has_default = default_seconds(ranking, 0) > 0;
  const bool measured = std::any_of(ranking.places.begin(), ranking.places.end(), has_validations);
  report::Table table;
  table.columns = columns<"rank together">({"n", "variant", "nb", "threads", "blas", "seconds", "flops_per_second"});
  if (has_default) {
    table.columns.push_back(column<"rank together">("gain"));
  }
  add_columns<"rank together">(table.columns, {"ties", "regret"});
  if (measured) {
    add_columns<"rank together">(table.columns, {"measured_seconds", "measured_regret"});
  }
  for (std::size_t p = 0; p < ranking.joint.size(); ++p) {
    const tuning::JointRank& chosen = ranking.joint[p].ranking.front();
    const PlaceRanking& place = ranking.places[chosen.place];
    const double rate = place.decisions[p].flops / chosen.best.seconds;
    std::vector<std::string> ties;
    for (const tuning::JointRank& rank : ranking.joint[p].ranking) {
      if (rank.tied) {
        ties.push_back(tie_text(rank, ranking));
      }
    }
    std::vector<report::Cell> row = {kernel::size_text(ranking.joint[p].sizes),
                                     variant_text(chosen.best.variant, place),
                                     chosen.best.blocks.nb > 0 ? report::whole(chosen.best.blocks.nb) : report::Cell("-"),
                                     report::whole(place.threads),
                                     place.blas.empty() ? place.environment.blas.name : place.blas,
                                     {chosen.best.seconds, format_seconds(chosen.best.seconds)},
                                     {rate, format_flop_rate(rate)}};
    if (has_default) {
      const double gain = default_seconds(ranking, p) / chosen.best.seconds - 1;
      row.emplace_back(gain, format_percent(gain), gain > 0.01 ? report::Tone::good : report::Tone::plain);
    }
    row.emplace_back(fmt::format("{}", fmt::join(ties, ", ")));
    row.emplace_back(ranking.joint[p].regret, format_percent(ranking.joint[p].regret));
    if (measured) {
      const tuning::MeasuredJoint runs = tuning::measured_joint(chosen, decisions_of(ranking, p));
      const bool was_run = runs.chosen > 0;
      const double regret = was_run ? runs.chosen / runs.best - 1 : 0;
      row.emplace_back(was_run ? report::Cell(runs.chosen, format_seconds(runs.chosen)) : report::Cell(""));
      row.emplace_back(was_run ? report::Cell(regret, format_percent(regret)) : report::Cell(""));
    }
    table.rows.push_back(std::move(row));
  }
  table.footnote = prediction_legend("predicted");
  return table;
}

}  // namespace flopcast::cli
