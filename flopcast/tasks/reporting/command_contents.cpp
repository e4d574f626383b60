#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using report::BarChart;
using report::Trust;
using search::Verdict;

std::string change_text(const ComparedQuantity& one) {
  return one.ratio_interval ? fmt::format("{:.3f} ({:.3f} to {:.3f})", one.ratio, one.ratio_interval->low, one.ratio_interval->high)
                            : fmt::format("{:.3f}", one.ratio);
}

/// Returns the quantities with the largest changes first.
std::vector<ComparedQuantity> by_change(std::vector<ComparedQuantity> quantities) {
  std::stable_sort(quantities.begin(), quantities.end(), [](const ComparedQuantity& a, const ComparedQuantity& b) {
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  return quantities;
}

PageContents comparison_contents(const Comparison& comparison) {
  PageContents contents{fmt::format("Is {} faster than {}?", comparison.after, comparison.before), ""};
  const std::vector<ComparedQuantity> sorted = by_change(comparison.quantities);
  BarChart chart{"Value of the later result over that of the earlier one, with its interval", "", {}};
  for (const ComparedQuantity& one : sorted) {
    if (chart.bars.size() < max_bars) {
      chart.bars.push_back({one.what, one.ratio, change_text(one) + ", " + to_string(one.verdict), one.ratio_interval});
    }
  }
  chart.bars.push_back({"no change", 1, "1", {}, true});
  contents.pictures.emplace_back(std::move(chart));
  const auto count = [&](Verdict verdict) { return comparison.count(verdict); };
  contents.answer = fmt::format("{} compared: {} slower, {} faster, {} the same, {} unsure.", comparison.quantities.size(),
                                count(Verdict::slower), count(Verdict::faster), count(Verdict::same), count(Verdict::unsure));
  const auto worst = std::find_if(sorted.begin(), sorted.end(), [](const auto& one) { return one.verdict == Verdict::slower; });
  if (worst != sorted.end()) {
    contents.answer += fmt::format(" The largest loss is that of {}: {} times the earlier value.", worst->what, change_text(*worst));
  }
  const bool all_unsure = count(Verdict::unsure) == static_cast<std::int64_t>(comparison.quantities.size());
  contents.trust = all_unsure ? Trust::unusable : count(Verdict::unsure) > 0 ? Trust::unknown : Trust::quiet;
  if (comparison.fails) {
    contents.steps = {
        {fmt::format("Look for the cause: a quantity is slower by more than the allowed {}.", format_percent(comparison.fail_above)), ""}};
  } else if (all_unsure) {
    contents.steps = {{"Measure both results again on a quiet machine and with more repetitions, since no difference is certain.", ""}};
  } else {
    contents.steps = {{"Keep the later result, to compare further ones with it.",
                       fmt::format("flopcast compare --save-baseline NAME {}", shell_text({comparison.after}))}};
  }
  for (const std::string& setting : comparison.settings) {
    contents.warnings.push_back("The documents differ in their settings: " + setting);
  }
  return contents;
}

/// Judges by the reference against itself: a difference that isn't there must not be found.
Trust trust_of_control(const CommandRace& race) {
  const Verdict verdict = race.control.verdict;
  const Trust trust = verdict == Verdict::same                                   ? Trust::quiet
                      : verdict == Verdict::faster || verdict == Verdict::slower ? Trust::unusable
                                                                                 : Trust::unknown;
  return std::max(trust, trust_of(race.remarks));
}

/// Returns the command that races the same commands; empty if one of them is left out.
std::string racing_command(const CommandRace& race) {
  std::vector<std::string> words = {"flopcast", "race"};
  for (const RacedCommand& one : race.commands) {
    if (one.command.empty()) {
      return "";
    }
    words.emplace_back("--");
    words.insert(words.end(), one.command.begin(), one.command.end());
  }
  return shell_text(words);
}

PageContents race_contents(const CommandRace& race) {
  PageContents contents{"Which command is the fastest?", "", trust_of_control(race)};
  BarChart chart{"Elapsed time, median with its interval", "s", {}};
  const RacedCommand* best = nullptr;
  for (const RacedCommand& one : race.commands) {
    if (one.elapsed) {
      chart.bars.push_back(time_bar(one.name, *one.elapsed, one.elapsed_interval, !one.against_reference));
      best = best == nullptr || *one.elapsed < *best->elapsed ? &one : best;
    }
  }
  contents.warnings = race.remarks;
  if (best == nullptr) {
    contents.answer = "No command has a time.";
    return contents;
  }
  contents.pictures.emplace_back(std::move(chart));
  const auto& ratio = best->against_reference;
  const std::string name = race.commands.front().name;
  if (!ratio || ratio->verdict != Verdict::faster) {
    contents.answer = fmt::format("No command is certainly faster than the reference, {}.", name);
    if (race.ending == RaceEnding::budget) {
      contents.steps = {{"Race them again when the machine is quiet, or for longer.", racing_command(race)}};
    }
  } else {
    contents.answer = fmt::format("{} is the fastest: {:.3f} times the time of {}{}.", best->name, ratio->ratio.value_or(0), name,
                                  ratio->interval ? fmt::format(" ({:.3f} to {:.3f})", ratio->interval->low, ratio->interval->high) : "");
    contents.steps = {{"Use the fastest command.", best->command.empty() ? "" : shell_text(best->command)}};
  }
  return contents;
}

/// Returns the program's command with the best setting; empty if the command is left out.
std::string setting_command(const ProgramTuning& tuning) {
  const search::Setting& setting = tuning.best().setting;
  std::vector<std::string> words = search::replace_places(tuning.command, setting);
  std::vector<std::string> variables;
  for (const std::string& name : tuning.variables) {
    if (const auto at = setting.find(name); at != setting.end()) {
      variables.push_back(fmt::format("{}={}", name, at->second));
    }
  }
  if (!words.empty() && !variables.empty()) {
    variables.insert(variables.begin(), "env");
    words.insert(words.begin(), variables.begin(), variables.end());
  }
  return shell_text(words);
}

PageContents program_tuning_contents(const ProgramTuning& tuning) {
  PageContents contents{"Which setting of the program's parameters is the fastest?", "", trust_of(tuning.remarks)};
  BarChart chart{"Predicted time of the program with its interval of 95 %", "s", {}};
  for (const TunedConfiguration& one : tuning.configurations) {
    if (one.predicted && chart.bars.size() < max_bars) {
      chart.bars.push_back(time_bar(search::to_string(one.setting), *one.predicted, one.interval, chart.bars.empty()));
    }
  }
  contents.warnings = tuning.remarks;
  if (chart.bars.empty()) {
    contents.answer = "No setting could be predicted.";
    return contents;
  }
  const auto ties = std::count_if(tuning.configurations.begin(), tuning.configurations.end(),
                                  [](const auto& one) { return one.verdict == ConfigurationVerdict::tie; });
  contents.answer =
      fmt::format("{} is the fastest: {}. Settings that tie with it: {}. The choice loses at most {} against the best one (95 %).",
                  chart.bars.front().label, chart.bars.front().text, ties, format_percent(tuning.regret));
  contents.pictures.emplace_back(std::move(chart));
  contents.steps = {{"Run the program with this setting.", setting_command(tuning)}};
  return contents;
}

}  // namespace

std::vector<ReportedKind> command_kinds() {
  return {
      reported("flopcast-comparison-1", comparison_from_json, comparison_contents,
               {{"quantities",
                 "Times and rates",
                 {"what", "before", "before_interval", "after", "after_interval", "ratio", "ratio_interval", "verdict", "above_limit"}}}),
      reported("flopcast-race-1", command_race_from_json, race_contents, {{"commands", "Commands"}}),
      reported("flopcast-program-tuning-1", program_tuning_from_json, program_tuning_contents, {{"configurations", "Settings"}})};
}

}  // namespace flopcast
