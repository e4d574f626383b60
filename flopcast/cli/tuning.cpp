#include "flopcast/cli/tuning.hpp"

#include <fmt/format.h>

#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/on_demand_sampling.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::cli {
namespace {

constexpr std::int64_t kernel_repetitions = 3;  // more calls measured tell more than the same ones measured better
constexpr std::int64_t short_runs = 5;          // times as many repetitions of short runs in a validation

measure::SessionOptions session_options(const TuningOptions& tuning) {
  measure::SessionOptions options;
  options.seed = tuning.seed;
  options.stop.maximum_repetitions = kernel_repetitions;
  return options;
}

/// Seconds that one run of all that is forecast takes.
Seconds one_round(std::span<const tune::Decision> decisions) {
  Seconds sum = 0;
  for (const tune::Decision& decision : decisions) {
    for (const tune::Forecast& forecast : decision.forecasts) {
      sum += forecast.seconds;
    }
  }
  return sum;
}

}  // namespace

TuningSession::TuningSession(const Workbench& bench, model::Store& store, const TuningOptions& options, const CommonOptions& common)
    : bench_(bench),
      store_(store),
      options_(options),
      common_(common),
      session_(bench.session(store, session_options(options))),
      fresh_models_(bench.environment()) {}

/// Once, if other programs left too few cores to those threads that were timed, or made their caches and memory much slower.
void TuningSession::tell_of_others(const OtherLoad& load) {
  const double others = load.cores().value_or(0);
  if (others > OtherLoad::much && !told_of_others_) {
    told_of_others_ = true;
    note(fmt::format("warning: other programs kept {:.1f} cores busy meanwhile: times and choices may be wrong; do it again, with --fresh, "
                     "when the machine is idle",
                     others),
         common_);
  }
}

tune::BlockSizeResult TuningSession::tune(const std::string& label, std::span<const tune::Problem> problems, const Record& record,
                                          const std::set<std::string>& kernels, const tune::BlockSizeOptions& options) {
  const OtherLoad load;
  tune::BlockSizeSources sources;
  sources.trace = record;
  sources.placements = [&](const Trace& trace) {
    return cache::cache_state(trace, bench_.environment().caches, cache::Start::filled).placements;
  };
  static constexpr double overrun = 1.2;  // what has begun may end
  sources.sampling =
      sampling_sources(session_, store_, bench_, {.budget = options.time_budget, .overrun = overrun, .label = label}, common_);
  tune::BlockSizeResult result;
  if (options_.fresh) {
    result = tune::tune_block_size(problems, bench_.environment(), fresh_models_, sources, options);
  } else {
    model::OnDemandModels models = bench_.models(store_, kernels);
    result = tune::tune_block_size(problems, bench_.environment(), models, sources, options);
  }
  throw_if_interrupted("every sample is kept; run the same command again to go on");
  tell_of_others(load);
  return result;
}

std::vector<tune::Check> TuningSession::validate(const std::string& label, std::span<const tune::Problem> problems,
                                                 std::span<const tune::Decision> decisions, const tune::Runners& runners,
                                                 tune::Extent extent) {
  static constexpr Seconds worth_saying = 10;
  const Seconds expected = static_cast<double>(options_.repetitions) * one_round(decisions);
  if (extent == tune::Extent::all && expected > worth_saying) {
    note(fmt::format("{}: every alternative {} times or more, {} at least", label, options_.repetitions, format_seconds(expected)),
         common_);
  }
  const OtherLoad load;
  const auto show = progress(label, common_);
  session_.options().stop = {.minimum_repetitions = options_.repetitions, .maximum_repetitions = short_runs * options_.repetitions};
  std::vector<tune::Check> checks = tune::validate(
      problems, decisions, [&](std::span<const measure::Experiment> experiments) { return session_.run(experiments, show); }, runners,
      extent);
  session_.options().stop = session_options(options_).stop;
  throw_if_interrupted("every sample is kept, nothing of the validation");
  tell_of_others(load);
  return checks;
}

void note_cost(const tune::BlockSizeResult& result, Seconds elapsed, const CommonOptions& common) {
  note(fmt::format("{} stretch{} of kernel calls measured, {} timings, {} ({} in all){}", result.cost.segments,
                   result.cost.segments == 1 ? "" : "es", result.cost.timings, format_seconds(result.cost.measuring),
                   format_seconds(elapsed), result.complete ? "" : "; the time budget ended it: --time-budget gives more"),
       common);
}

}  // namespace flopcast::cli
