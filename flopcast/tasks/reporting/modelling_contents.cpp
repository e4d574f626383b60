#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "flopcast/core/statistics.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/shell_text.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/model_list.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"

namespace flopcast {
namespace {

using report::BarChart;
using report::Trust;

constexpr double noise_floor = 0.02;  ///< other programs' load below this share of a time is no noise

/// Returns the first size that differs between the samples; 0 if none does.
std::size_t varying_size(const std::vector<SampledCall>& samples) {
  const std::vector<std::int64_t>& first = samples.front().sample.sizes;
  for (std::size_t d = 0; d < first.size(); ++d) {
    const auto differs = [&](const SampledCall& one) { return one.sample.sizes.size() > d && one.sample.sizes[d] != first[d]; };
    if (std::any_of(samples.begin(), samples.end(), differs)) {
      return d;
    }
  }
  return 0;
}

/// Returns median times over a size, with their intervals, for each model key.
report::Figure sample_figure(const std::vector<SampledCall>& samples, std::size_t size) {
  std::map<std::string, std::map<std::int64_t, Interval>> spreads;
  std::map<std::string, report::Series> curves;
  for (const SampledCall& one : samples) {
    const std::vector<Seconds> times = one.sample.times();
    if (times.empty() || one.sample.sizes.size() <= size) {
      continue;
    }
    report::Series& curve = curves[fmt::format("{} {} {}", one.sample.key.routine, one.sample.key.flags, one.cache)];
    const Interval interval = median_interval(times);
    curve.x.push_back(static_cast<double>(one.sample.sizes[size]));
    curve.y.push_back(median(times));
    curve.low.push_back(interval.low);
    curve.high.push_back(interval.high);
  }
  report::Figure figure{
      "Median time of a call with its interval of 95 %", {fmt::format("size {} of the call", size + 1)}, {"seconds", true}, {}};
  for (auto& [title, curve] : curves) {
    curve.title = title;
    figure.series.push_back(std::move(curve));
  }
  return figure;
}

/// Returns the words that choose the calls of all samples, with ranges for arguments that differ; nothing if something else differs.
std::vector<std::string> range_words(const std::vector<SampledCall>& samples) {
  const Routine& routine = *samples.front().call.routine;
  std::vector<std::string> words = {routine.name};
  bool has_range = false;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    const bool is_size = argument.kind == Kind::size;
    if (!is_size && argument.kind != Kind::flag) {
      continue;
    }
    std::set<std::int64_t> values;
    for (const SampledCall& one : samples) {
      if (one.call.routine != &routine || one.cache != samples.front().cache) {
        return {};
      }
      values.insert(one.call.arguments[i]);
    }
    if (!is_size && values.size() > 1) {
      return {};
    }
    has_range = has_range || values.size() > 1;
    words.push_back(argument.name + '=' +
                    (is_size ? fmt::format("{}", *values.begin()) : std::string(1, static_cast<char>(*values.begin()))) +
                    (values.size() > 1 ? fmt::format(":{}", *values.rbegin()) : ""));
  }
  return has_range ? words : std::vector<std::string>();
}

/// Returns "flopcast " and the words, with the libraries and threads of the samples.
std::string command_at(const Environment& environment, std::vector<std::string> words) {
  const std::vector<std::string> place = place_words(environment);
  words.insert(words.begin(), "flopcast");
  words.insert(words.end(), place.begin(), place.end());
  return shell_text(words);
}

/// Returns what to do with samples: to predict other sizes, or to look at another state of the caches, and to see the machine's limits.
std::vector<PageStep> sample_steps(const SampleResult& result) {
  std::vector<PageStep> steps;
  const SampledCall& first = result.samples.front();
  const std::string call = kernel::format_call(first.call);
  const std::vector<std::string_view> call_words = split(call, ' ');
  const auto command = [&](std::vector<std::string> words) { return command_at(result.environment, std::move(words)); };
  const auto has_other_state = [&](const SampledCall& one) { return one.cache != first.cache; };
  if (std::vector<std::string> words = range_words(result.samples); !words.empty() && first.cache.find('=') == std::string::npos) {
    words.insert(words.begin(), {"model", "build"});
    words.insert(words.end(), {"--cache", first.cache});
    steps.push_back({"Build a model that predicts all sizes between.", command(std::move(words))});
  } else if (std::none_of(result.samples.begin(), result.samples.end(), has_other_state)) {
    const bool is_cold = first.cache.starts_with("cold");
    words = {"sample"};
    words.insert(words.end(), call_words.begin(), call_words.end());
    words.insert(words.end(), {"--cache", first.cache, "--cache", is_cold ? "warm" : "cold"});
    steps.push_back(
        {fmt::format("Compare with the time of operands that are {}.", is_cold ? "in cache" : "in memory"), command(std::move(words))});
  }
  steps.push_back({"See how far the call is from the limits of the machine.",
                   shell_text({"flopcast", "roofline", "--threads", std::to_string(result.environment.threads), "--point", call})});
  return steps;
}

PageContents sample_contents(const SampleResult& result) {
  PageContents contents{"How long do the calls take?", ""};
  BarChart chart{"Median time of a call with its interval of 95 %", "s", {}};
  double noise = 0;
  std::size_t timed = 0;
  for (const SampledCall& one : result.samples) {
    noise = std::max(noise, one.sample.state.noise);
    const std::vector<Seconds> times = one.sample.times();
    timed += times.empty() ? 0 : 1;
    if (!times.empty() && chart.bars.size() < max_bars) {
      chart.bars.push_back(
          time_bar(fmt::format("{}, {}", kernel::format_call(one.call), one.cache), median(times), median_interval(times)));
    }
    for (const std::string& warning : one.sample.warnings) {
      contents.warnings.push_back(fmt::format("{}: {}", kernel::format_call(one.call), warning));
    }
  }
  if (chart.bars.empty()) {
    contents.answer = "No call was timed.";
    return contents;
  }
  contents.trust = noise > noise_floor ? Trust::noisy : Trust::quiet;
  contents.answer =
      timed == 1 ? fmt::format("{} takes {}.", chart.bars.front().label, chart.bars.front().text)
                 : fmt::format("{} were timed; {} takes {}.", counted(timed, "call"), chart.bars.front().label, chart.bars.front().text);
  contents.steps = sample_steps(result);
  const std::size_t size = varying_size(result.samples);
  if (timed > 2) {
    contents.pictures.emplace_back(sample_figure(result.samples, size));
  }
  contents.pictures.emplace_back(std::move(chart));
  return contents;
}

PageContents model_contents(const ModelBuild& build) {
  const model::Model& model = build.model;
  PageContents contents{fmt::format("How long does {} take, by its sizes?", to_string(model.key)), ""};
  contents.answer = fmt::format("The model has {} with relative errors up to {} at its samples.", counted(model.pieces.size(), "piece"),
                                format_percent(largest_error(model)));
  add_picture(contents, [&] { return model_figure(model); });
  contents.steps = {{"Check whether the samples still hold.", "flopcast model check " + model.key.routine}};
  return contents;
}

PageContents check_contents(const ModelCheck& check) {
  PageContents contents{"Do the samples of the models still hold?", "", check.noisy ? Trust::noisy : Trust::quiet};
  BarChart chart{"Median error of the predicted times by kernel", "", {}};
  std::int64_t runs = 0, within = 0;
  for (const KernelCheck& kernel : check.kernels) {
    runs += kernel.runs;
    within += kernel.within;
    if (!kernel.points.empty() && chart.bars.size() < max_bars) {
      chart.bars.push_back({to_string(kernel.key), kernel.median_error, format_percent(kernel.median_error)});
    }
  }
  if (runs == 0) {
    contents.answer = "Nothing was checked.";
    return contents;
  }
  contents.answer =
      fmt::format("{} of {} lie in their predicted intervals of 95 %.", within, counted(static_cast<std::uint64_t>(runs), "run"));
  contents.pictures.emplace_back(std::move(chart));
  std::vector<std::string> words = {"model", "check"};
  for (const KernelCheck& kernel : check.kernels) {
    const bool is_open = kernel.verdict == CheckVerdict::doubtful || kernel.verdict == CheckVerdict::too_few;
    if (is_open && std::find(words.begin(), words.end(), kernel.key.routine) == words.end()) {
      words.push_back(kernel.key.routine);
    }
  }
  if (words.size() > 2) {
    contents.steps = {{"Check the undecided kernels again, on a quiet machine.", command_at(check.environment, std::move(words))}};
  }
  return contents;
}

}  // namespace

std::vector<ReportedKind> modelling_kinds() {
  return {reported("flopcast-samples-3", sample_result_from_json, sample_contents,
                   {{"samples",
                     "Calls",
                     {"call", "cache", "key.threads", "statistics.count", "statistics.minimum", "statistics.median",
                      "statistics.median_interval_95", "statistics.maximum", "statistics.standard_deviation", "flops", "footprint_bytes",
                      "warnings"}}}),
          reported("flopcast-model-1", model_build_from_json, model_contents, {{"pieces", "Pieces"}}),
          reported("flopcast-model-check-2", model_check_from_json, check_contents,
                   {{"kernels",
                     "Kernels",
                     {"key.routine", "key.flags", "key.cache", "key.threads", "samples", "retimed", "runs", "within", "median_error",
                      "high_error", "bias", "verdict", "suspects", "retested", "refuted", "removed", "added"}},
                    {"kernels.points", "Points"}})};
}

}  // namespace flopcast
