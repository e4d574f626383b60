#include "flopcast/cli/profile/what_if_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "flopcast/cli/profile/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Table;

Cell percent(double fraction) { return {100 * fraction, fmt::format("{:.1f} %", 100 * fraction)}; }

report::Tone tone_of(double gain) { return gain > 0.01 ? report::Tone::good : gain < -0.01 ? report::Tone::bad : report::Tone::plain; }

Cell gain_cell(double gain) { return {100 * gain, fmt::format("{:+.1f} %", 100 * gain), tone_of(gain)}; }

/// Returns flags and sizes.
std::string shape_text(const ProgramProfile::Shape& shape) {
  const std::string sizes = to_string(shape.sizes);
  const std::string flags = shown_flags(shape);
  return flags.empty() || sizes.empty() ? flags + sizes : flags + " " + sizes;
}

/// Returns the answer to `same`; nullptr if that wasn't asked.
const WhatIfResult* find_same(const std::vector<WhatIfResult>& answers) {
  const auto at = std::find_if(answers.begin(), answers.end(), [](const WhatIfResult& answer) { return answer.question.is_same(); });
  return at == answers.end() ? nullptr : &*at;
}

/// Returns the gain over what the models expect for the place of the recording, which is free of the noise of the recorded run.
Cell gain_over_model(const WhatIfResult& answer, const WhatIfResult& same) {
  if (&answer == &same || !same.failure.empty() || !answer.question.predicts_calls() || answer.by_models <= 0) {
    return "-";
  }
  return gain_cell(same.by_models / answer.by_models - 1);
}

}  // namespace

Table answer_table(const ProgramProfile& profile) {
  Table table;
  table.columns =
      columns<"profile what-if">({"what if", "place", "percent_of_calls", "recorded_seconds", "models_seconds", "predicted_seconds",
                                  "predicted_low_seconds", "predicted_high_seconds", "gain_percent", "extrapolated_percent"});
  const WhatIfResult* same = find_same(profile.what_if);
  const bool compares = same != nullptr && profile.what_if.size() > 1;
  if (compares) {
    table.columns.push_back(column<"profile what-if">("gain_over_same_percent"));
  }
  for (const WhatIfResult& answer : profile.what_if) {
    if (!answer.failure.empty()) {
      table.rows.push_back({to_string(answer.question), {"not answered: " + answer.failure}});
      table.rows.back().resize(table.columns.size(), Cell("-"));
      continue;
    }
    table.rows.push_back({to_string(answer.question),
                          answer.place,
                          percent(profile.all.seconds > 0 ? answer.recorded / profile.all.seconds : 0),
                          {answer.recorded, format_seconds(answer.recorded)},
                          {answer.by_models, format_seconds(answer.by_models)},
                          {answer.predicted, format_seconds(answer.predicted)},
                          {answer.interval.low, format_seconds(answer.interval.low)},
                          {answer.interval.high, format_seconds(answer.interval.high)},
                          answer.gain ? gain_cell(*answer.gain) : Cell("-"),
                          percent(answer.extrapolated_share)});
    if (compares) {
      table.rows.back().push_back(gain_over_model(answer, *same));
    }
  }
  table.footnote = prediction_legend("predicted", "lie within from and to") +
                   own_code_legend(profile.own_code_seconds, profile.seconds > 0 ? profile.own_code_seconds / profile.seconds : 0);
  return table;
}

Table block_table(const ProgramProfile& profile) {
  Table table;
  table.columns = columns<"profile what-if">({"what if", "routine", "shape", "queried_by", "default_nb", "chosen_nb", "chosen_nx",
                                              "default_seconds", "chosen_seconds", "gain_percent", "regret_percent"});
  const bool limited = std::any_of(profile.what_if.begin(), profile.what_if.end(), [](const WhatIfResult& answer) {
    return std::any_of(answer.blocks.begin(), answer.blocks.end(), [](const BlockChoice& choice) { return choice.workspace_allows > 0; });
  });
  if (limited) {
    table.columns.push_back(column<"profile what-if">("workspace_allows_nb"));
  }
  for (const WhatIfResult& answer : profile.what_if) {
    for (const BlockChoice& choice : answer.blocks) {
      const ProgramProfile::Shape& shape = profile.shapes.at(choice.shape);
      const double gain = choice.chosen_seconds > 0 ? choice.default_seconds / choice.chosen_seconds - 1 : 0;
      table.rows.push_back({to_string(answer.question), shape.routine, shape_text(shape), choice.routine, report::whole(choice.default_nb),
                            report::whole(choice.chosen_nb), report::whole(choice.chosen_nx),
                            Cell(choice.default_seconds, format_seconds(choice.default_seconds)),
                            Cell(choice.chosen_seconds, format_seconds(choice.chosen_seconds)), gain_cell(gain),
                            choice.undecided ? Cell(100 * choice.regret, "undecided") : percent(std::max(0.0, choice.regret))});
      if (limited) {
        table.rows.back().push_back(choice.workspace_allows > 0 ? report::whole(choice.workspace_allows) : Cell("any"));
      }
    }
  }
  return table;
}

}  // namespace flopcast::cli
