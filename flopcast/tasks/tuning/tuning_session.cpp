#include "flopcast/tasks/tuning/tuning_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t short_runs = 5;  // times as many repetitions of short runs in a validation

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
      expected < budget ? "; the time budget limits it" : fmt::format("; the time budget ends it after {}", format_seconds(budget))));
}

}  // namespace

measure::StopRule sampling_rule() {
  measure::StopRule rule;
  rule.max_repetitions = 3;
  return rule;
}

TuningSession::TuningSession(TuningServices services, const TuningOptions& options, const RunContext& context)
    : services_(std::move(services)), options_(options), context_(context), fresh_models_(services_.environment) {}

TuningSession::TuningSession(const Workbench& bench, model::Store& store, const TuningOptions& options, const RunContext& context)
    : TuningSession(tuning_services(bench, store, options.seed, context), options, context) {}

tuning::BlockSizeResult TuningSession::tune(const std::string& label, std::span<const tuning::Problem> problems, const Record& record,
                                            const std::set<std::string>& kernels, const tuning::BlockSizeOptions& options) {
  const auto busy_cores = services_.watch_others();
  tuning::BlockSizeServices tuner;
  tuner.trace = record;
  tuner.placements = [&](const Trace& trace) {
    return cache::cache_state(trace, services_.environment.caches, cache::Start::filled).placements;
  };
  tuner.sampling = services_.sampling({.budget = options.time_budget, .label = label});
  tuning::BlockSizeResult result;
  MachineState state;
  if (options_.fresh) {
    result = tuning::tune_block_size(problems, services_.environment, fresh_models_, tuner, options);
    state = fresh_models_.wanted_state();
  } else {
    model::OnDemandModels models = services_.models(kernels);
    result = tuning::tune_block_size(problems, services_.environment, models, tuner, options);
    state = models.wanted_state();
  }
  context_.throw_if_cancelled("every sample is kept; run the same command again to go on");
  tell_noise(busy_cores(), state, context_);
  return result;
}

void TuningSession::validate(const std::string& label, std::span<const tuning::Problem> problems, std::vector<tuning::Decision>& decisions,
                             const tuning::Runners& runners, const ValidationOptions& options) {
  const measure::StopRule rule = validation_rule(options_);
  std::vector<std::pair<Seconds, std::size_t>> order;  // expected time of each problem
  Seconds expected = 0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    order.emplace_back(tuning::validation_seconds(problems[p], decisions[p], rule, options.extent), p);
    expected += order.back().first;
  }
  std::sort(order.begin(), order.end());
  note_expected(label, expected, options.time_budget, context_);
  const auto busy_cores = services_.watch_others();
  const Seconds begin = services_.clock();
  const auto elapsed = [&] { return services_.clock() - begin; };
  std::size_t missing = problems.size();
  for (const auto& [seconds, p] : order) {
    if (context_.cancelled() || elapsed() >= options.time_budget) {
      break;
    }
    const auto show = context_.step(fmt::format("{}, n = {}", label, kernel::size_text(decisions[p].sizes)));
    const auto measure = [&](std::span<const measure::Experiment> experiments) {
      return services_.measure(experiments, rule,
                               [&](std::int64_t done, std::int64_t all) { return show(done, all) && elapsed() < options.time_budget; });
    };
    tuning::Check check = tuning::validate(problems[p], decisions[p], measure, runners, options.extent);
    if (check.complete) {
      decisions[p].validation = std::move(check);
      --missing;
      options.validated(p);
    }
  }
  if (missing > 0 && !context_.cancelled()) {
    context_.note(fmt::format("{}: the time budget ended it before {} of {} were run; a larger one runs them", label, missing,
                              counted(problems.size(), "size")));
  }
  tell_noise(busy_cores(), {}, context_);
}

void tell_undecided(const std::string& what, const std::vector<tuning::Decision>& decisions, const std::string& consequence,
                    const RunContext& context) {
  if (const auto open = std::count_if(decisions.begin(), decisions.end(), tuning::is_undecided); open > 0) {
    context.note(
        fmt::format("{} is undecided for {} of {}, where over 10 % may be lost: {}; a larger time budget or a quieter machine decides",
                    what, open, counted(decisions.size(), "size"), consequence));
  }
}

void note_considered(const std::string& what, const std::vector<tuning::Decision>& decisions, const RunContext& context) {
  const auto missing = [](const tuning::Decision& decision) { return decision.candidates - decision.considered; };
  const auto most = std::max_element(decisions.begin(), decisions.end(),
                                     [&](const tuning::Decision& a, const tuning::Decision& b) { return missing(a) < missing(b); });
  if (most != decisions.end() && missing(*most) > 0) {
    context.note(
        fmt::format("{}: {} block sizes considered for {}, until the time budget ended it. The max regret counts the others, too; "
                    "a larger budget considers them",
                    what, tuning::considered_text(*most), kernel::size_text(most->sizes)));
  }
}

void note_cost(const tuning::BlockSizeResult& result, Seconds elapsed, const RunContext& context) {
  context.note(fmt::format("{} of kernel calls measured, {}, {} ({} in all){}", counted(result.cost.segments, "segment"),
                           counted(result.cost.timings, "timing"), format_seconds(result.cost.measuring), format_seconds(elapsed),
                           result.complete ? "" : "; the time budget ended it"));
}

}  // namespace flopcast
