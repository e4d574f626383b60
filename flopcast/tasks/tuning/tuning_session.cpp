#include "flopcast/tasks/tuning/tuning_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t kernel_repetitions = 3;  // more calls measured tell more than the same ones measured better
constexpr std::int64_t short_runs = 5;          // times as many repetitions of short runs in a validation

measure::SessionOptions session_options(const TuningOptions& tuning) {
  measure::SessionOptions options;
  options.seed = tuning.seed;
  options.stop.max_repetitions = kernel_repetitions;
  return options;
}

measure::StopRule validation_rule(const TuningOptions& tuning) {
  return {.min_repetitions = tuning.repetitions, .max_repetitions = short_runs * tuning.repetitions};
}

/// "validating dgeqrf: about 447 s, up to twice as long ..." where that is worth saying.
void note_expected(const std::string& label, Seconds expected, Seconds budget, const RunContext& context) {
  static constexpr Seconds worth_saying = 10;
  if (expected < worth_saying) {
    return;
  }
  context.note(fmt::format(
      "{}: about {}, up to twice as long where other programs disturb{}", label, format_seconds(expected),
      expected < budget ? "; --time-budget limits it" : fmt::format("; --time-budget ends it after {}", format_seconds(budget))));
}

}  // namespace

TuningSession::TuningSession(const Workbench& bench, model::Store& store, const TuningOptions& options, const RunContext& context)
    : bench_(bench),
      store_(store),
      options_(options),
      context_(context),
      session_(bench.session(store, session_options(options))),
      fresh_models_(bench.environment()) {}

/// Once, if other programs left too few cores to those threads that were timed, or made their caches and memory much slower.
void TuningSession::tell_of_others(const machine::OtherLoad& load) {
  const double others = load.cores().value_or(0);
  if (others > machine::OtherLoad::much && !told_of_others_) {
    told_of_others_ = true;
    context_.note(
        fmt::format("warning: other programs kept {:.1f} cores busy meanwhile: times and choices may be wrong; do it again, with --fresh, "
                    "when the machine is idle",
                    others));
  }
}

tuning::BlockSizeResult TuningSession::tune(const std::string& label, std::span<const tuning::Problem> problems, const Record& record,
                                            const std::set<std::string>& kernels, const tuning::BlockSizeOptions& options) {
  const machine::OtherLoad load;
  tuning::BlockSizeSources sources;
  sources.trace = record;
  sources.placements = [&](const Trace& trace) {
    return cache::cache_state(trace, bench_.environment().caches, cache::Start::filled).placements;
  };
  sources.sampling = sampling_sources(session_, store_, bench_, {.budget = options.time_budget, .label = label}, context_);
  tuning::BlockSizeResult result;
  if (options_.fresh) {
    result = tuning::tune_block_size(problems, bench_.environment(), fresh_models_, sources, options);
  } else {
    model::OnDemandModels models = bench_.models(store_, kernels);
    result = tuning::tune_block_size(problems, bench_.environment(), models, sources, options);
  }
  context_.throw_if_cancelled("every sample is kept; run the same command again to go on");
  tell_of_others(load);
  return result;
}

std::vector<tuning::Check> TuningSession::validate(const std::string& label, std::span<const tuning::Problem> problems,
                                                   std::span<const tuning::Decision> decisions, const tuning::Runners& runners,
                                                   const ValidationOptions& options) {
  const measure::StopRule rule = validation_rule(options_);
  std::vector<std::pair<Seconds, std::size_t>> order;  // how long each problem takes
  Seconds expected = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    order.emplace_back(tuning::validation_seconds(problems[p], decisions[p], rule, options.extent), p);
    expected += order.back().first;
  }
  std::sort(order.begin(), order.end());
  note_expected(label, expected, options.time_budget, context_);
  const machine::OtherLoad load;
  const Stopwatch watch;
  std::vector<tuning::Check> checks(problems.size());
  session_.options().stop = rule;
  for (const auto& [seconds, p] : order) {
    const auto show = context_.step(fmt::format("{}, n = {}", label, kernel::size_text(decisions[p].sizes)));
    const auto measure = [&](std::span<const measure::Experiment> experiments) {
      return session_.run(experiments,
                          [&](std::int64_t done, std::int64_t all) { return show(done, all) && watch.elapsed() < options.time_budget; });
    };
    if (context_.cancelled() || watch.elapsed() >= options.time_budget) {
      break;
    }
    tuning::Check check = tuning::validate(problems[p], decisions[p], measure, runners, options.extent);
    if (check.complete) {
      checks[p] = std::move(check);
      options.validated(p, checks[p]);
    }
  }
  session_.options().stop = session_options(options_).stop;
  const auto missing = std::count_if(checks.begin(), checks.end(), [](const tuning::Check& check) { return !check.complete; });
  if (missing > 0 && !context_.cancelled()) {
    context_.note(fmt::format("{}: the time budget ended it before {} of {} sizes were run; a larger --time-budget runs them", label,
                              missing, checks.size()));
  }
  tell_of_others(load);
  return checks;
}

void note_cost(const tuning::BlockSizeResult& result, Seconds elapsed, const RunContext& context) {
  context.note(fmt::format("{} stretch{} of kernel calls measured, {} timings, {} ({} in all){}", result.cost.segments,
                           result.cost.segments == 1 ? "" : "es", result.cost.timings, format_seconds(result.cost.measuring),
                           format_seconds(elapsed), result.complete ? "" : "; the time budget ended it: --time-budget gives more"));
}

}  // namespace flopcast
