#include "flopcast/cli/tune/joint_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

std::string tie_text(const tuning::JointRank& standing, const std::vector<Ranking>& rankings) {
  const Ranking& place = rankings[standing.place];
  const std::string variant = variant_text(standing.best.variant, place);
  return rankings.size() > 1 ? fmt::format("{} ({})", variant, place_text(place)) : variant;
}

/// The first place's default: what a program gets without any choice.
Seconds standard_seconds(const std::vector<Ranking>& rankings, std::size_t problem) {
  return rankings.front().result.decisions[problem].default_.seconds;
}

struct MeasuredJoint {
  Seconds chosen = 0, best = 0;
};

MeasuredJoint measured_joint(const tuning::JointRank& chosen, const std::vector<Ranking>& rankings, std::size_t problem) {
  MeasuredJoint result;
  for (std::size_t place = 0; place < rankings.size(); ++place) {
    if (rankings[place].checks.empty()) {
      continue;
    }
    const tuning::Check& check = rankings[place].checks[problem];
    if (check.best_seconds > 0 && (result.best == 0 || check.best_seconds < result.best)) {
      result.best = check.best_seconds;
    }
    if (place == chosen.place) {
      result.chosen = check.chosen_seconds;
    }
  }
  return result;
}

}  // namespace

std::vector<tuning::JointDecision> join(const std::vector<Ranking>& rankings) {
  std::vector<tuning::JointDecision> all;
  for (std::size_t p = 0; p < rankings.front().result.decisions.size(); ++p) {
    std::vector<tuning::Decision> decisions;
    for (const Ranking& ranking : rankings) {
      decisions.push_back(ranking.result.decisions[p]);
    }
    all.push_back(tuning::join(decisions));
  }
  return all;
}

report::Table joint_table(const std::vector<Ranking>& rankings) {
  using report::Align;
  const bool has_standard = standard_seconds(rankings, 0) > 0;
  const bool measured = !rankings.front().checks.empty();
  report::Table table;
  table.columns = {{"n"},
                   {"variant", Align::left},
                   {"nb"},
                   {"threads"},
                   {"BLAS", Align::left, "blas"},
                   {"predicted", Align::right, "seconds"},
                   {"rate", Align::right, "flops_per_second"}};
  if (has_standard) {
    table.columns.push_back({"gain", Align::right, "gain"});
  }
  table.columns.insert(table.columns.end(), {{"ties", Align::left}, {"regret at worst", Align::right, "regret"}});
  if (measured) {
    table.columns.insert(table.columns.end(),
                         {{"measured", Align::right, "measured_seconds"}, {"measured regret", Align::right, "measured_regret"}});
  }
  const std::vector<tuning::JointDecision> decisions = join(rankings);
  for (std::size_t p = 0; p < decisions.size(); ++p) {
    const tuning::JointRank& chosen = decisions[p].ranking.front();
    const Ranking& place = rankings[chosen.place];
    const double rate = flops(place.problems[p].call) / chosen.best.seconds;
    std::vector<std::string> ties;
    for (const tuning::JointRank& standing : decisions[p].ranking) {
      if (standing.tied) {
        ties.push_back(tie_text(standing, rankings));
      }
    }
    std::vector<report::Cell> row = {kernel::size_text(place.result.decisions[p].sizes),
                                     variant_text(chosen.best.variant, place),
                                     chosen.best.blocks.nb > 0 ? report::whole(chosen.best.blocks.nb) : report::Cell("-"),
                                     report::whole(place.libraries.threads),
                                     place.libraries.blas.empty() ? place.environment.blas.name : place.libraries.blas,
                                     {chosen.best.seconds, format_seconds(chosen.best.seconds)},
                                     {rate, format_flop_rate(rate)}};
    if (has_standard) {
      const double gain = standard_seconds(rankings, p) / chosen.best.seconds - 1;
      row.emplace_back(gain, format_percent(gain), gain > 0.01 ? report::Tone::good : report::Tone::plain);
    }
    row.emplace_back(fmt::format("{}", fmt::join(ties, ", ")));
    row.emplace_back(decisions[p].regret, format_percent(decisions[p].regret));
    if (measured) {
      const MeasuredJoint runs = measured_joint(chosen, rankings, p);
      const bool was_run = runs.chosen > 0;
      const double regret = was_run ? runs.chosen / runs.best - 1 : 0;
      row.emplace_back(was_run ? report::Cell(runs.chosen, format_seconds(runs.chosen)) : report::Cell(""));
      row.emplace_back(was_run ? report::Cell(regret, format_percent(regret)) : report::Cell(""));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::json joint_json(const std::vector<Ranking>& rankings) {
  nlohmann::json all = nlohmann::json::array();
  const std::vector<tuning::JointDecision> decisions = join(rankings);
  for (std::size_t p = 0; p < decisions.size(); ++p) {
    nlohmann::json standings = nlohmann::json::array();
    for (const tuning::JointRank& standing : decisions[p].ranking) {
      nlohmann::json item = to_json(standing.best);
      item.update({{"place", standing.place},
                   {"blas", rankings[standing.place].environment.blas.name},
                   {"threads", rankings[standing.place].libraries.threads},
                   {"behind", standing.behind},
                   {"tied", standing.tied}});
      standings.push_back(std::move(item));
    }
    all.push_back(
        {{"sizes", rankings.front().result.decisions[p].sizes}, {"ranking", std::move(standings)}, {"regret", decisions[p].regret}});
  }
  return all;
}

}  // namespace flopcast::cli
