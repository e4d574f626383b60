#include "flopcast/cli/profile/what_if_tables.hpp"
#include "flopcast/core/environment_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace flopcast::cli {
namespace {

using report::Align;
using report::Cell;
using report::Table;

Cell percent(double fraction) { return {100 * fraction, fmt::format("{:.1f} %", 100 * fraction)}; }

report::Tone tone_of(double gain) { return gain > 0.01 ? report::Tone::good : gain < -0.01 ? report::Tone::bad : report::Tone::plain; }

/// Flags and sizes.
std::string shape_text(const interpose::ShapeSum& shape) {
  const std::string sizes = to_string(shape.sizes);
  const std::string flags = shown_flags(shape);
  return flags.empty() || sizes.empty() ? flags + sizes : flags + " " + sizes;
}

/// The answer to `same`, if it was asked.
const Answer* find_same(const std::vector<Answer>& answers) {
  const auto at = std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return answer.question.is_same(); });
  return at == answers.end() ? nullptr : &*at;
}

/// Against what the models expect of the recorded place: free of the noise of the recorded run. Nothing where calls aren't predicted.
Cell gain_over_model(const Answer& answer, const Answer& same) {
  if (&answer == &same || !same.failure.empty() || !answer.question.predicts_calls() || answer.by_models <= 0) {
    return "-";
  }
  const double by = same.by_models / answer.by_models - 1;
  return {100 * by, fmt::format("{:+.1f} %", 100 * by), tone_of(by)};
}

}  // namespace

std::optional<double> gain(const Answer& answer, const ProgramView& view) {
  if (view.summary.dry_run || !answer.failure.empty() || answer.predicted <= 0) {
    return std::nullopt;
  }
  constexpr double rounding = 1e-9;  // what stays as recorded gains nothing, not minus nothing
  const double by = answer.recorded / answer.predicted - 1;
  return std::fabs(by) < rounding ? 0 : by;
}

Table answer_table(const std::vector<Answer>& answers, const ProgramView& view) {
  Table table;
  table.columns = {{"what if", Align::left},
                   {"predicted for", Align::left, "place"},
                   {"of the time", Align::right, "percent_of_calls"},
                   {"recorded", Align::right, "recorded_seconds"},
                   {"by models", Align::right, "models_seconds"},
                   {"predicted", Align::right, "predicted_seconds"},
                   {"from", Align::right, "predicted_low_seconds"},
                   {"to", Align::right, "predicted_high_seconds"},
                   {"gain", Align::right, "gain_percent"},
                   {"unsampled", Align::right, "extrapolated_percent"}};
  const Answer* same = find_same(answers);
  if (same != nullptr && answers.size() > 1) {
    table.columns.push_back({"gain over same", Align::right, "gain_over_same_percent"});
  }
  for (const Answer& answer : answers) {
    if (!answer.failure.empty()) {
      table.rows.push_back({answer.question.text, {"not answered: " + answer.failure}});
      table.rows.back().resize(table.columns.size(), Cell("-"));
      continue;
    }
    const std::optional<double> by = gain(answer, view);
    const Seconds all = view.breakdown.all().seconds;
    table.rows.push_back({answer.question.text,
                          answer.place,
                          percent(all > 0 ? answer.recorded / all : 0),
                          {answer.recorded, format_seconds(answer.recorded)},
                          {answer.by_models, format_seconds(answer.by_models)},
                          {answer.predicted, format_seconds(answer.predicted)},
                          {answer.interval.low, format_seconds(answer.interval.low)},
                          {answer.interval.high, format_seconds(answer.interval.high)},
                          by ? Cell(100 * *by, fmt::format("{:+.1f} %", 100 * *by), tone_of(*by)) : Cell("-"),
                          percent(answer.extrapolated_share)});
    if (same != nullptr && answers.size() > 1) {
      table.rows.back().push_back(gain_over_model(answer, *same));
    }
  }
  return table;
}

Table block_table(const std::vector<Answer>& answers, const ProgramView& view) {
  Table table;
  table.columns = {{"what if", Align::left},
                   {"routine", Align::left},
                   {"shape", Align::left},
                   {"asks", Align::left},
                   {"default nb", Align::right, "default_nb"},
                   {"chosen nb", Align::right, "chosen_nb"},
                   {"chosen nx", Align::right, "chosen_nx"},
                   {"default", Align::right, "default_seconds"},
                   {"chosen", Align::right, "chosen_seconds"},
                   {"gain", Align::right, "gain_percent"},
                   {"regret at worst", Align::right, "regret_percent"}};
  const auto is_limited = [](const Answer& answer) {
    return std::any_of(answer.blocks.begin(), answer.blocks.end(), [](const BlockChoice& choice) { return choice.workspace_allows > 0; });
  };
  const bool limited = std::any_of(answers.begin(), answers.end(), is_limited);
  if (limited) {
    table.columns.push_back({"workspace allows", Align::right, "workspace_allows_nb"});
  }
  for (const Answer& answer : answers) {
    for (const BlockChoice& choice : answer.blocks) {
      const interpose::ShapeSum& shape = view.breakdown.shapes()[choice.shape];
      const double by = choice.chosen_seconds > 0 ? choice.standard_seconds / choice.chosen_seconds - 1 : 0;
      table.rows.push_back({answer.question.text, view.summary.names[shape.name], shape_text(shape), choice.routine,
                            report::whole(choice.standard), report::whole(choice.chosen), report::whole(choice.chosen_crossover),
                            Cell(choice.standard_seconds, format_seconds(choice.standard_seconds)),
                            Cell(choice.chosen_seconds, format_seconds(choice.chosen_seconds)),
                            Cell(100 * by, fmt::format("{:+.1f} %", 100 * by), tone_of(by)),
                            choice.undecided ? Cell(100 * choice.regret, "undecided") : percent(std::max(0.0, choice.regret))});
      if (limited) {
        table.rows.back().push_back(choice.workspace_allows > 0 ? report::whole(choice.workspace_allows) : Cell("any"));
      }
    }
  }
  return table;
}

std::vector<ShapeForecast> shape_forecasts(const std::vector<Answer>& answers) {
  std::vector<ShapeForecast> forecasts;
  for (const Answer& answer : answers) {
    if (answer.failure.empty()) {
      forecasts.push_back({answer.question.text, answer.shapes, answer.question.is_same()});
    }
  }
  return forecasts;
}

nlohmann::json to_json(const Answer& answer, const ProgramView& view) {
  if (!answer.failure.empty()) {
    return {{"what_if", answer.question.text}, {"failure", answer.failure}};
  }
  nlohmann::json shapes = nlohmann::json::array();
  for (const std::optional<Seconds>& seconds : answer.shapes) {
    shapes.push_back(seconds ? nlohmann::json(*seconds) : nlohmann::json());
  }
  nlohmann::json blocks = nlohmann::json::array();
  for (const BlockChoice& choice : answer.blocks) {
    blocks.push_back({{"shape", choice.shape},
                      {"routine", choice.routine},
                      {"default_nb", choice.standard},
                      {"chosen_nb", choice.chosen},
                      {"chosen_nx", choice.chosen_crossover},
                      {"default_seconds", choice.standard_seconds},
                      {"chosen_seconds", choice.chosen_seconds},
                      {"regret", choice.regret},
                      {"undecided", choice.undecided},
                      {"workspace_allows", choice.workspace_allows}});
  }
  const std::optional<double> by = gain(answer, view);
  return {{"what_if", answer.question.text},
          {"place", answer.place},
          {"environment", *answer.environment},
          {"recorded_seconds", answer.recorded},
          {"models_seconds", answer.by_models},
          {"predicted_seconds", answer.predicted},
          {"interval", {answer.interval.low, answer.interval.high}},
          {"gain", by ? nlohmann::json(*by) : nlohmann::json()},
          {"extrapolated_share", answer.extrapolated_share},
          {"slow_by_numbers_seconds", answer.by_numbers},
          {"shape_seconds", std::move(shapes)},
          {"blocks", std::move(blocks)},
          {"untuned_shapes", answer.untuned}};
}

}  // namespace flopcast::cli
