#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/program/recorded_run.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using report::BarChart;
using report::Strips;
using report::Trust;

std::string name_of(const std::vector<std::string>& command) { return command.empty() ? "the program" : shell_text(command); }

std::string share_text(Seconds part, Seconds all) { return all > 0 ? fmt::format(" ({})", format_percent(part / all)) : ""; }

/// Returns a bar with a sum's time, its share and its rate.
report::Bar sum_bar(std::string label, const CallTotals& sum, Seconds all) {
  report::Bar bar = time_bar(std::move(label), sum.seconds);
  bar.text += share_text(sum.seconds, all) + (sum.flops_per_second ? ", " + format_flop_rate(*sum.flops_per_second) : "");
  return bar;
}

std::string shape_text(const ProgramProfile::Shape& shape) {
  const std::string sizes = program::to_string(shape.sizes);
  return shape.routine + (shape.flags.empty() ? "" : " " + shape.flags) + (sizes.empty() ? "" : " " + sizes) +
         (shape.first_calls ? " first calls" : "");
}

/// Returns the number at the start of the text and removes it with the blank behind. Throws bad_input for other texts.
double next_share(std::string_view& text) {
  int share = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
  if (error != std::errc() || share < 0 || share > 100) {
    throw bad_input("the profile's timeline is damaged: '{}' given, expected shares from 0 to 100", text.substr(0, 20));
  }
  text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  return share / 100.0;
}

Strips timeline_picture(const ProgramProfile::Timeline& timeline) {
  Strips strips{"Share of each moment that the threads spent in which routine", timeline.routines, {}, timeline.begin, timeline.end};
  for (const ProgramProfile::Timeline::Thread& thread : timeline.threads) {
    Strips::BinRow& row = strips.strips.emplace_back();
    row.label = fmt::format("thread {}", thread.tid);
    for (std::size_t series = 0; series < std::min(thread.shares.size(), timeline.routines.size()); ++series) {
      std::string_view text = thread.shares[series];
      for (std::size_t bin = 0; !text.empty(); ++bin) {
        if (bin == row.bins.size()) {
          row.bins.emplace_back(timeline.routines.size(), 0.0);
        }
        row.bins[bin][series] = next_share(text);
      }
    }
  }
  return strips;
}

/// Returns the answer that saves most time, or nullptr.
const WhatIfResult* best_answer(const ProgramProfile& profile) {
  constexpr double shown_gain = 5e-4;  // less is shown as 0.0 %
  const WhatIfResult* best = nullptr;
  for (const WhatIfResult& answer : profile.what_if) {
    const bool is_gain = answer.failure.empty() && !answer.question.is_same() && answer.gain.value_or(0) >= shown_gain;
    if (is_gain && (best == nullptr || *answer.gain > *best->gain)) {
      best = &answer;
    }
  }
  return best;
}

/// Returns the command that runs the program with a change.
std::string run_command(const WhatIf& change, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"flopcast", "run"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      words.insert(words.end(), {option, value});
    }
  };
  add("--blas", change.blas);
  add("--lapack", change.lapack);
  add("--threads", !change.threads ? "" : *change.threads == 0 ? "auto" : std::to_string(*change.threads));
  add("--kernels", change.kernels);
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return shell_text(words);
}

void add_what_if(PageContents& contents, const ProgramProfile& profile) {
  BarChart chart{"Time of the calls that can be predicted, recorded and after a change, with the interval of 95 %", "s", {}};
  std::optional<Seconds> recorded;  // most questions are about equal calls
  for (const WhatIfResult& answer : profile.what_if) {
    if (!answer.failure.empty()) {
      continue;
    }
    if (!profile.dry_run && recorded != answer.recorded) {
      chart.bars.push_back(time_bar("recorded", answer.recorded, {}, true));
      recorded = answer.recorded;
    }
    chart.bars.push_back(time_bar(to_string(answer.question), answer.predicted, answer.interval));
  }
  if (!chart.bars.empty()) {
    contents.pictures.emplace_back(std::move(chart));
  }
}

void add_profile_pictures(PageContents& contents, const ProgramProfile& profile) {
  add_what_if(contents, profile);
  BarChart routines{"Time in each routine", "s", {}}, shapes{"Time in calls of one routine with equal flags and sizes", "s", {}},
      threads{"Time in calls by thread", "s", {}};
  for (const ProgramProfile::Routine& routine : profile.routines) {
    routines.bars.push_back(sum_bar(routine.routine, routine, profile.all.seconds));
  }
  for (const ProgramProfile::Shape& shape : profile.shapes) {
    shapes.bars.push_back(sum_bar(shape_text(shape), shape, profile.all.seconds));
  }
  for (const ProgramProfile::Thread& thread : profile.threads) {
    threads.bars.push_back(sum_bar(fmt::format("thread {}", thread.tid), thread, profile.all.seconds));
  }
  for (BarChart* chart : {&routines, &shapes, &threads}) {
    chart->bars.resize(std::min(chart->bars.size(), max_bars));
  }
  if (profile.first_calls.calls > 0) {
    routines.bars.push_back(sum_bar("first calls", profile.first_calls, profile.all.seconds));
    routines.bars.back().reference = true;
  }
  contents.pictures.insert(contents.pictures.end(), {routines, shapes});
  if (profile.timeline) {
    contents.pictures.emplace_back(timeline_picture(*profile.timeline));
  }
  if (profile.threads.size() > 1) {
    contents.pictures.emplace_back(threads);
  }
}

PageContents profile_contents(const ProgramProfile& profile) {
  PageContents contents{fmt::format("Where does the BLAS and LAPACK time of {} go?", name_of(profile.command)), "",
                        trust_of(profile.warnings)};
  if (profile.started > 0) {
    contents.facts.emplace_back("Recorded", date_text(profile.started));
  }
  contents.warnings = profile.warnings;
  if (profile.all.calls == 0) {
    contents.answer = "The program makes no calls of BLAS and LAPACK that could be recorded.";
    return contents;
  }
  add_profile_pictures(contents, profile);
  contents.answer = fmt::format("{} of BLAS and LAPACK take {} in a run of {}", counted(profile.all.calls, "call"),
                                format_seconds(profile.all.seconds), format_seconds(profile.seconds));
  if (!profile.routines.empty()) {
    const ProgramProfile::Routine& first = profile.routines.front();
    contents.answer += fmt::format(", most of it in {}{}", first.routine, share_text(first.seconds, profile.all.seconds));
  }
  contents.answer += ".";
  if (const WhatIfResult* best = best_answer(profile)) {
    const bool is_certain = best->interval.high < best->recorded;
    contents.answer += fmt::format(" With {} the predicted calls take {} ({}) in place of {}: {} {} faster.", to_string(best->question),
                                   format_seconds(best->predicted), seconds_text(best->interval), format_seconds(best->recorded),
                                   is_certain ? "certainly" : "perhaps", format_percent(*best->gain));
    if (best->question.tuned_blocks && !best->blocks.empty()) {
      contents.steps.push_back({"Tune the block sizes and keep them in the tuning file.",
                                fmt::format("flopcast tune {} --save", shell_text({best->blocks.front().routine, "--n", "200:3200"}))});
    }
    contents.steps.push_back({"Run the program with the change.", run_command(best->question, profile.command)});
  } else if (!profile.what_if.empty()) {
    contents.answer += " None of the asked changes makes them faster.";
  } else if (!profile.command.empty()) {
    contents.steps.push_back({"Ask what makes the program slow and what mends that.", "flopcast doctor -- " + shell_text(profile.command)});
  }
  return contents;
}

/// Returns words of a finding, which begin in lower case, as the beginning of a sentence.
std::string capitalised(std::string text) {
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

PageContents diagnosis_contents(const ProgramDiagnosis& diagnosis) {
  PageContents contents{fmt::format("What makes {} slow?", name_of(diagnosis.command)), "", trust_of(diagnosis.warnings)};
  contents.warnings = diagnosis.warnings;
  BarChart chart{"Time that the remedy of a finding saves: middle of its interval of 95 %", "s", {}};
  for (const Finding& finding : diagnosis.findings) {
    chart.bars.push_back(time_bar(finding.what, (finding.gain.low + finding.gain.high) / 2, finding.gain));
    constexpr std::string_view own = "flopcast ";
    const bool is_command = finding.remedy.starts_with(own);
    contents.steps.push_back({capitalised(is_command ? finding.what : finding.remedy) + ".", is_command ? finding.remedy : ""});
  }
  if (diagnosis.findings.empty()) {
    contents.answer = "Nothing was found that makes BLAS and LAPACK slow.";
    return contents;
  }
  const Finding& first = diagnosis.findings.front();
  contents.answer = fmt::format("{}. The remedy saves {} in a run of {}.", capitalised(first.what), seconds_text(first.gain),
                                format_seconds(diagnosis.seconds));
  contents.pictures.emplace_back(std::move(chart));
  return contents;
}

std::string title_of(const Prediction& one) {
  const bool has_blocks = !one.blocks.empty() && one.blocks != "-";
  return one.algorithm + (one.sizes.empty() ? "" : " " + one.sizes) + (has_blocks ? ", nb " + one.blocks : "");
}

/// Returns the values of the routine's sizes, in the order of the interface.
std::vector<std::int64_t> sizes_of(const std::string& routine, const std::map<std::string, std::int64_t>& parameters) {
  std::vector<std::int64_t> sizes;
  if (const Routine* found = kernel::find(routine)) {
    for (const Argument& argument : found->arguments) {
      if (const auto at = parameters.find(argument.name); argument.kind == Kind::size && at != parameters.end()) {
        sizes.push_back(at->second);
      }
    }
  }
  return sizes;
}

/// Returns what to do with predictions: routines are tuned, programs are profiled.
std::vector<PageStep> prediction_steps(const Predictions& predictions) {
  const Prediction& first = predictions.predictions.front();
  if (first.is_thread) {
    return {{"See what would make the program faster. TRACE is its recording.", "flopcast profile TRACE"}};
  }
  const std::size_t colon = std::min(first.algorithm.find(':'), first.algorithm.size());
  const std::string routine = first.algorithm.substr(0, colon);
  const std::string flags = first.algorithm.substr(std::min(colon + 1, first.algorithm.size()));
  std::vector<std::vector<std::int64_t>> problems;
  for (const Prediction& one : predictions.predictions) {
    std::vector<std::int64_t> sizes = sizes_of(routine, one.parameters);
    if (one.algorithm == first.algorithm && std::find(problems.begin(), problems.end(), sizes) == problems.end()) {
      problems.push_back(std::move(sizes));
    }
  }
  std::vector<std::string> words = problem_words(routine, flags, problems);
  if (words.empty() || first.blocks.empty() || first.blocks == "-") {
    return {};
  }
  const std::vector<std::string> place = place_words(predictions.environment);
  words.insert(words.begin(), {"flopcast", "tune"});
  words.insert(words.end(), place.begin(), place.end());
  return {{"Choose the fastest block size.", shell_text(words)}};
}

PageContents prediction_contents(const Predictions& predictions) {
  PageContents contents{"How long does it take?", ""};
  BarChart chart{"Predicted time with the interval of 95 % of a later run", "s", {}};
  double extrapolated = 0;
  for (const Prediction& one : predictions.predictions) {
    extrapolated = std::max(extrapolated, one.extrapolated_share);
    if (chart.bars.size() < 2 * max_bars) {
      chart.bars.push_back(time_bar(title_of(one), one.seconds, one.interval));
    }
  }
  if (chart.bars.empty()) {
    contents.answer = "Nothing was predicted.";
    return contents;
  }
  const auto& all = predictions.predictions;
  contents.question = fmt::format("How long does {} take?", all.front().algorithm);
  contents.answer =
      all.size() == 1
          ? fmt::format("{} takes {}, with an interval of 95 %.", chart.bars.front().label, chart.bars.front().text)
          : fmt::format("{}: from {} for {} to {} for {}.", counted(all.size(), "prediction"), format_seconds(all.front().seconds),
                        title_of(all.front()), format_seconds(all.back().seconds), title_of(all.back()));
  contents.pictures.emplace_back(std::move(chart));
  BarChart kernels{"Predicted time by kernel of " + title_of(all.back()), "s", {}};
  for (const Prediction::Kernel& kernel : all.back().kernels) {
    kernels.bars.push_back(time_bar(to_string(kernel.key), kernel.seconds));
  }
  kernels.bars.resize(std::min(kernels.bars.size(), max_bars));
  if (!kernels.bars.empty()) {
    contents.pictures.emplace_back(std::move(kernels));
  }
  contents.steps = prediction_steps(predictions);
  constexpr double considerable = 0.05;
  if (extrapolated > considerable) {
    contents.warnings.push_back(fmt::format(
        "Up to {} of a predicted time lies outside of the samples. A longer --time-budget makes it less.", format_percent(extrapolated)));
  }
  return contents;
}

PageContents scale_contents(const ScaledProgram& scaled) {
  PageContents contents{fmt::format("How long does the program take with n = {}?", scaled.parameter), "", trust_of(scaled.remarks)};
  contents.answer =
      fmt::format("The program takes {} ({}, 95 %): {} in BLAS and LAPACK, {} in its own code.", format_seconds(scaled.seconds),
                  seconds_text(scaled.interval), format_seconds(scaled.call_seconds), format_seconds(scaled.own_code_seconds));
  report::Figure figure{"Elapsed time of the program", {"n", true}, {"seconds", true}, {}};
  report::Series recorded{"recorded", {}, {}}, predicted{"predicted", {}, {}};
  for (const ScaledProgram::Recording& recording : scaled.recordings) {
    recorded.x.push_back(static_cast<double>(recording.parameter));
    recorded.y.push_back(recording.seconds);
  }
  predicted.x = {static_cast<double>(scaled.parameter)};
  predicted.y = {scaled.seconds};
  predicted.low = {scaled.interval.low};
  predicted.high = {scaled.interval.high};
  figure.series = {std::move(recorded), std::move(predicted)};
  BarChart kernels{fmt::format("Predicted time of the calls with n = {}", scaled.parameter), "s", {}};
  for (const ScaledProgram::Kernel& kernel : scaled.kernels) {
    kernels.bars.push_back(time_bar(fmt::format("{} {} {}", kernel.routine, kernel.flags, kernel.sizes), kernel.seconds, kernel.interval));
  }
  kernels.bars.resize(std::min(kernels.bars.size(), max_bars));
  contents.pictures = {std::move(figure), std::move(kernels)};
  contents.warnings = scaled.remarks;
  return contents;
}

}  // namespace

namespace {

/// Returns columns that name a part of a program, followed by sums of the part's calls.
std::vector<std::string> with_calls(std::vector<std::string> names) {
  names.insert(names.end(),
               {"calls", "seconds", "flops", "flops_per_second", "of_peak", "skipped", "blind", "invalid_seconds", "denormal_seconds"});
  return names;
}

}  // namespace

std::vector<ReportedKind> program_kinds() {
  return {reported("flopcast-program-profile-2", program_profile_from_json, profile_contents,
                   {{"what_if",
                     "What if",
                     {"what_if", "recorded_seconds", "models_seconds", "predicted_seconds", "interval", "gain", "extrapolated_share",
                      "slow_by_numbers_seconds", "untuned_shapes", "failure"}},
                    {"routines", "By routine", with_calls({"routine"})},
                    {"shapes", "By shape", with_calls({"routine", "flags", "sizes"})},
                    {"threads", "By thread", with_calls({"pid", "tid", "heaviest"})},
                    {"processes", "By process", with_calls({"pid", "program", "threads"})},
                    {"what_if.blocks", "Block sizes"}}),
          reported("flopcast-diagnosis-1", program_diagnosis_from_json, diagnosis_contents,
                   {{"findings", "Findings", {"what", "evidence", "remedy", "seconds", "gain_seconds"}},
                    {"own_code", "Where the program's own code computes"}}),
          reported("flopcast-predict-2", predictions_from_json, prediction_contents,
                   {{"predictions", "Predictions"},
                    {"predictions.kernels",
                     "Kernels",
                     {"key.routine", "key.flags", "key.cache", "key.threads", "calls", "flops", "seconds", "deviation_seconds",
                      "extrapolated_seconds"}}}),
          reported("flopcast-scale-1", scaled_program_from_json, scale_contents, {{"recordings", "Recordings"}, {"kernels", "Calls"}})};
}

}  // namespace flopcast
