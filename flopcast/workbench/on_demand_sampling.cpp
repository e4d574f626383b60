#include "flopcast/workbench/on_demand_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tune/sampling.hpp"

namespace flopcast {

tuning::SamplingServices sampling_services(measure::Session& session, model::Store& store, const Workbench& bench,
                                           const SamplingLimits& limits, const RunContext& context) {
  const Stopwatch watch;
  const auto show = context.step(limits.label);
  tuning::SamplingServices services;
  services.elapsed = [watch] { return watch.elapsed(); };
  services.interrupted = context.cancelled;
  services.measure = [&session, watch, show, budget = limits.budget](std::span<const measure::Experiment> experiments) {
    return session.run(experiments, [&](std::int64_t, std::int64_t) {
      return show(std::llround(1000 * std::min(1.0, watch.elapsed() / budget)), 1000) && watch.elapsed() < budget;
    });
  };
  services.observe = [&session] { return session.observe(); };
  services.keep = [&](std::span<const Sample> samples) {
    store.add_samples(samples);
    bench.keep_reference(store, session);
  };
  services.keep_segments = [&](std::span<const tuning::KeptSegment> segments) {
    tuning::keep_segments(store, bench.environment(), segments);
  };
  return services;
}

void tell_noise(double busy_cores, const MachineState& state, const RunContext& context) {
  static constexpr double range = 1.96;  // half of a normal distribution's 95 % range in standard deviations
  static constexpr double noisy = 0.1;
  if (busy_cores > machine::OtherLoad::much) {
    context.tell_noisy(fmt::format(
        "other programs kept {:.1f} cores busy; times and choices may be wrong: repeat the command when the machine is idle", busy_cores));
  }
  if (range * state.spread >= noisy || state.noise > 0) {
    context.tell_noisy(
        fmt::format("the times of equal work differed by up to {:.0f} % (95 %) while kernels were sampled; programs' times differ as "
                    "much from moment to moment, and intervals are that wide",
                    100 * range * std::max(state.spread, state.noise)));
  }
}

namespace {

/// Returns smaller calls to be sampled in place of those that take too long for the budget, and notes what they are for.
std::vector<tuning::Subject> in_place_of_long_calls(const std::vector<tuning::Subject>& traces, const Environment& environment,
                                                    const model::OnDemandModels& models, Seconds budget, const RunContext& context) {
  static constexpr double share = 1.0 / 40;  // of the budget for one call: models without samples expect too little by up to ten times
  if (budget <= 0) {
    return {};
  }
  std::vector<tuning::Subject> smaller = tuning::smaller_subjects(traces, environment, models, share * budget);
  if (!smaller.empty()) {
    const Call& largest = smaller.front().trace.calls.front();
    context.note(
        fmt::format("calls of {} may take too long for the time budget of {}. They are extrapolated from smaller ones ({} and less)",
                    largest.routine->name, format_seconds(budget), kernel::size_text(kernel::distinguishing_sizes(largest))));
  }
  return smaller;
}

}  // namespace

void sample_missing(std::vector<tuning::Subject>& traces, const Workbench& bench, model::Store& store, model::OnDemandModels& models,
                    Seconds budget, const std::string& label, const RunContext& context,
                    const std::function<void(std::span<const Seconds> totals)>& weigh, double target) {
  const machine::OtherLoad others;
  measure::Session session = bench.session(store, {});
  const tuning::SamplingServices services = sampling_services(session, store, bench, {.budget = budget, .label = label}, context);
  tuning::OnDemandSampler sampler(bench.environment(), models, services);
  const std::size_t count = traces.size();
  for (tuning::Subject& smaller : in_place_of_long_calls(traces, bench.environment(), models, budget, context)) {
    traces.push_back(std::move(smaller));
  }
  sampler.refine(traces, target, budget, weigh);
  traces.erase(traces.begin() + static_cast<std::ptrdiff_t>(count), traces.end());
  context.throw_if_cancelled("every sample is kept; run the same command again to go on");
  tell_noise(others.cores().value_or(0), models.wanted_state(), context);
  if (sampler.cost().segments > 0) {
    context.note(fmt::format("{} of kernel calls measured in {}", counted(sampler.cost().segments, "segment"),
                             format_seconds(sampler.cost().measuring)));
  }
}

}  // namespace flopcast
