#include "flopcast/cli/profile/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/prediction_legend.hpp"
#include "flopcast/report/spread.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Table;

Cell percent(double fraction) { return {100 * fraction, fmt::format("{:.1f} %", 100 * fraction)}; }

report::Tone tone_of(double gain) { return gain > 0.01 ? report::Tone::good : gain < -0.01 ? report::Tone::bad : report::Tone::plain; }

Cell gain_cell(double gain) { return {100 * gain, fmt::format("{:+.1f} %", 100 * gain), tone_of(gain)}; }

report::Column what_if_column() { return text_column("what if", "what if", "question of --what-if, such as blas=blis"); }
report::Column gain_column() {
  return number_column("gain_percent", "gain", "%", "recorded over predicted time, minus 1; of a block size, default over chosen",
                       Best::large);
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

/// Returns a cell of the text if the question wasn't answered.
template <class CellOf>
auto if_answered(CellOf cell_of) {
  return [cell_of](const WhatIfResult& answer) { return answer.failure.empty() ? Cell(cell_of(answer)) : Cell("-"); };
}

Columns<WhatIfResult> answer_columns(const ProgramProfile& profile, const WhatIfResult* same) {
  using Answer = WhatIfResult;
  const auto seconds_of = [](auto value_of) {
    return if_answered([value_of](const Answer& answer) { return number_cell(std::invoke(value_of, answer), "s"); });
  };
  Columns<Answer> columns;
  columns.add(what_if_column(), [](const Answer& answer) { return to_string(answer.question); });
  columns.add(shown<&Answer::place>("", "predicted for"),
              [](const Answer& answer) { return answer.failure.empty() ? answer.place : "not answered: " + answer.failure; });
  columns.number("percent_of_calls", "of the time", "%", "the part of the calls' time that is predicted", Best::large,
                 if_answered([all = profile.all.seconds](const Answer& answer) { return percent(all > 0 ? answer.recorded / all : 0); }));
  columns.add(shown<&Answer::recorded>(), seconds_of(&Answer::recorded));
  columns.add(shown<&Answer::by_models>("", "by models"), seconds_of(&Answer::by_models));
  columns.add(shown<&Answer::predicted>(), seconds_of(&Answer::predicted));
  columns.number("predicted_seconds_low", "from", "s", "lower end of the 95 % interval",
                 seconds_of([](const Answer& answer) { return answer.interval.low; }));
  columns.number("predicted_seconds_high", "to", "s", "upper end of the 95 % interval",
                 seconds_of([](const Answer& answer) { return answer.interval.high; }));
  columns.add(gain_column(), if_answered([](const Answer& answer) { return answer.gain ? gain_cell(*answer.gain) : Cell("-"); }));
  columns.number("extrapolated_percent", "unsampled", "%",
                 "part of the prediction that lies outside of samples; a longer --time-budget makes it smaller", Best::small,
                 if_answered([](const Answer& answer) { return percent(answer.extrapolated_share); }));
  if (same != nullptr) {
    columns.number("gain_over_same_percent", "gain over same", "%", "gain against what the models expect of the recorded libraries",
                   Best::large, if_answered([same](const Answer& answer) { return gain_over_model(answer, *same); }));
  }
  return columns;
}

/// The block size chosen for a shape in an answer.
struct ChosenBlock {
  const WhatIfResult* answer;
  const BlockChoice* choice;
};

Columns<ChosenBlock> block_columns(const ProgramProfile& profile, bool limited) {
  using Row = ChosenBlock;
  const auto shape_of = [&profile](const Row& row) -> const ProgramProfile::Shape& { return profile.shapes.at(row.choice->shape); };
  Columns<Row> columns;
  columns.add(what_if_column(), [](const Row& row) { return to_string(row.answer->question); });
  columns.add(shown<&ProgramProfile::Shape::routine>(), [shape_of](const Row& row) { return shape_of(row).routine; });
  columns.text("shape", "shape", "flags and sizes of its calls", [shape_of](const Row& row) { return shape_text(shape_of(row)); });
  columns.add(shown<&BlockChoice::routine>("queried_by"), &Row::choice, &BlockChoice::routine);
  columns.add(shown<&BlockChoice::default_nb>(), &Row::choice, &BlockChoice::default_nb);
  columns.add(shown<&BlockChoice::chosen_nb>(), &Row::choice, &BlockChoice::chosen_nb);
  columns.add(shown<&BlockChoice::chosen_nx>(), &Row::choice, &BlockChoice::chosen_nx);
  columns.add(shown<&BlockChoice::default_seconds>(), &Row::choice, &BlockChoice::default_seconds);
  columns.add(shown<&BlockChoice::chosen_seconds>(), &Row::choice, &BlockChoice::chosen_seconds);
  columns.add(gain_column(), [](const Row& row) {
    return gain_cell(row.choice->chosen_seconds > 0 ? row.choice->default_seconds / row.choice->chosen_seconds - 1 : 0);
  });
  columns.number("regret_percent", "max regret", "%", "the choice loses at most so much, at nominal 95 %", Best::small, [](const Row& row) {
    const double regret = row.choice->regret;
    return row.choice->undecided ? Cell(100 * regret, "undecided") : percent(std::max(0.0, regret));
  });
  if (limited) {
    columns.add(shown<&BlockChoice::workspace_allows>("workspace_allows_nb", "workspace allows"), [](const Row& row) {
      return row.choice->workspace_allows > 0 ? report::whole(row.choice->workspace_allows) : Cell("any");
    });
  }
  return columns;
}

}  // namespace

Table answer_table(const ProgramProfile& profile) {
  const WhatIfResult* same = find_same(profile.what_if);
  return answer_columns(profile, profile.what_if.size() > 1 ? same : nullptr)
      .table(profile.what_if,
             prediction_legend("predicted", "lie within from and to") +
                 own_code_legend(profile.own_code_seconds, profile.seconds > 0 ? profile.own_code_seconds / profile.seconds : 0));
}

Table block_table(const ProgramProfile& profile, bool csv) {
  std::vector<ChosenBlock> rows;
  for (const WhatIfResult& answer : profile.what_if) {
    for (const BlockChoice& choice : answer.blocks) {
      rows.push_back({&answer, &choice});
    }
  }
  const bool limited = std::any_of(rows.begin(), rows.end(), [](const ChosenBlock& row) { return row.choice->workspace_allows > 0; });
  Table table = block_columns(profile, limited).table(rows);
  if (!csv) {
    return table;
  }
  std::vector<std::map<std::string, std::string>> parts;
  for (const ChosenBlock& row : rows) {
    const ProgramProfile::Shape& shape = profile.shapes.at(row.choice->shape);
    parts.push_back(named_spans(shape));
    parts.back()["flags"] = shown_flags(shape);
  }
  return report::spread(std::move(table), "shape", parts);
}

std::vector<report::Column> what_if_columns() {
  const WhatIfResult same;
  return TableColumns{"", answer_columns({}, &same).headings()}.with(block_columns({}, true).headings()).columns;
}

}  // namespace flopcast::cli
