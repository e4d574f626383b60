#include "flopcast/tasks/modelling/model_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/modelling/check_plan.hpp"
#include "flopcast/tasks/modelling/check_rules.hpp"
#include "flopcast/tasks/modelling/checked_segments.hpp"
#include "flopcast/tasks/modelling/model_check_services.hpp"
#include "flopcast/tasks/modelling/sample_evidence.hpp"
#include "flopcast/tune/segment.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

constexpr std::size_t fewest_runs = 3;  // a point with fewer runs says nothing

/// The runs of a sampled place in one measurement of a segment.
struct RunSeries {
  std::size_t place = 0;
  std::vector<Seconds> wall_times;
  Sample sample;
};

class Checker {
 public:
  Checker(const ModelCheckRequest& request, const ModelCheckServices& services, const RunContext& context)
      : request_(request),
        services_(services),
        context_(context),
        show_(context.step("checking models")),
        all_(services.store, services.environment, request.routines),
        belief_(all_.models(services.environment)),
        predictor_(belief_),
        evidence_(all_, belief_) {}

  ModelCheck run() {
    present_ = services_.observe();
    belief_.predict_for(present_);
    plan_ = plan_check(all_, belief_, request_.repetitions, request_.time_budget - services_.elapsed(), request_.seed);
    predictor_ = all_.models(services_.environment, plan_.held_out);
    retime();
    static constexpr double share_of_first_runs = 0.75;  // the rest is for making sure
    check_until(share_of_first_runs * request_.time_budget);
    retest();
    check_until(request_.time_budget);
    return conclude();
  }

 private:
  [[nodiscard]] bool goes_on() const { return services_.elapsed() < request_.time_budget && !context_.cancelled(); }

  /// Times the first segments, whose places the predictions then know in the present state.
  void retime() {
    for (const std::vector<RunSeries>& measured : measure(plan_.retimed)) {
      for (const RunSeries& series : measured) {
        const SampledPlace& place = all_.places()[series.place];
        predictor_.add(place.call, place.placement, series.sample.times(), series.sample.state);
        ++retimed_[place.key];
      }
    }
    belief_.predict_for(present_);
    predictor_.predict_for(present_);
  }

  /// Checks segments, batch by batch, until the time `end`.
  void check_until(Seconds end) {
    static constexpr double share_of_rest = 1.0 / 4;
    static constexpr Seconds shortest_batch = 0.5;
    while (next_ < plan_.checked.size() && goes_on() && services_.elapsed() < end) {
      const Seconds left = end - services_.elapsed();
      const Seconds most = std::max(share_of_rest * left, std::min(left, shortest_batch));
      std::vector<std::size_t> batch;
      for (Seconds cost = 0; next_ < plan_.checked.size(); ++next_) {
        cost += static_cast<double>(request_.repetitions) * plan_.costs[plan_.checked[next_]];
        if (cost > most && !batch.empty()) {
          break;
        }
        batch.push_back(plan_.checked[next_]);
      }
      for (const std::vector<RunSeries>& measured : measure(batch)) {
        for (const RunSeries& series : measured) {
          compare(series);
        }
      }
    }
  }

  /// Compares runs with the prediction of their call.
  void compare(const RunSeries& series) {
    const SampledPlace& place = all_.places()[series.place];
    const model::Estimate estimate = predictor_.estimate(place.call, place.placement);
    if (estimate.extrapolated) {
      return;  // the samples that are left don't reach this place
    }
    const prediction::PredictionError error{estimate.relative_error * estimate.seconds, predictor_.run_deviation()};
    points_[place.key].push_back({series.sample.sizes, series.sample.strides, plan_.held_out.count(series.place) > 0, estimate.seconds,
                                  prediction::predicted_interval(estimate.seconds, error), series.wall_times});
  }

  /// Times the segments of all suspects once more.
  void retest() {
    const std::set<std::size_t> segments = evidence_.suspect_segments(deviation_of_runs());
    is_retest_ = true;
    static_cast<void>(measure({segments.begin(), segments.end()}));
    is_retest_ = false;
  }

  /// Times segments; returns the series of each with enough runs.
  std::vector<std::vector<RunSeries>> measure(const std::vector<std::size_t>& segments) {
    if (segments.empty() || !goes_on()) {
      return {};
    }
    std::vector<measure::Experiment> experiments;
    for (const std::size_t s : segments) {
      const tuning::KeptSegment& kept = all_.segments()[s].kept;
      experiments.push_back(tuning::experiment(kept.trace, kept.placements, kept.segment, services_.environment));
    }
    const std::vector<measure::Timings> timings = services_.measure(experiments, [&](std::int64_t, std::int64_t) {
      static constexpr double steps = 1000;
      const double done = std::min(1.0, services_.elapsed() / request_.time_budget);
      return show_(std::llround(steps * done), std::llround(steps)) && goes_on();
    });
    std::vector<std::vector<RunSeries>> all;
    for (std::size_t i = 0; i < std::min(segments.size(), timings.size()); ++i) {
      note_state(timings[i].state);
      all.push_back(series_of(segments[i], timings[i]));
    }
    return all;
  }

  /// Returns the relative deviation of runs because of the machine's state.
  [[nodiscard]] double deviation_of_runs() const {
    const RunDeviation runs = belief_.run_deviation();
    return std::hypot(std::max(present_.spread, runs.moments), runs.sessions);
  }

  void note_state(const MachineState& state) {
    const double spread = std::max(present_.spread, state.spread);
    const double noise = std::max(present_.noise, state.noise);
    present_ = state;
    present_.spread = spread;
    present_.noise = noise;
  }

  std::vector<RunSeries> series_of(std::size_t s, const measure::Timings& timings) {
    const CheckedSegment& segment = all_.segments()[s];
    std::vector<RunSeries> all;
    for (std::size_t c = 0; c < std::min(segment.places.size(), timings.calls.size()); ++c) {
      if (!segment.places[c]) {
        continue;
      }
      RunSeries series{*segment.places[c], {}, {}};
      const SampledPlace& place = all_.places()[series.place];
      for (const Repetition& repetition : timings.calls[c]) {
        series.wall_times.push_back(repetition.seconds);
      }
      series.sample = measure::empty_sample(place.call, "placed", services_.environment);
      series.sample.key = place.key;
      series.sample.placement = place.placement;
      series.sample.repetitions = timings.calls[c];
      series.sample.state = timings.state;
      series.sample.warnings = timings.warnings;
      if (series.sample.times().size() >= fewest_runs) {
        evidence_.add(series.place, s, series.sample, is_retest_);
        all.push_back(std::move(series));
      }
    }
    return all;
  }

  ModelCheck conclude() {
    ModelCheck check;
    check.environment = services_.environment;
    check.state = present_;
    check.busy_cores = services_.busy_cores();
    check.noisy = present_.noise > 0 || check.busy_cores > machine::OtherLoad::much;
    check.complete = !context_.cancelled();
    tell_noise(check.busy_cores, present_, context_);
    if (check.noisy) {
      context_.note("no sample was replaced, because the machine was noisy");
    }
    SampleReplacement replacement;
    for (const auto& [key, samples] : all_.samples()) {
      KernelCheck& kernel = check.kernels.emplace_back();
      kernel.key = key;
      kernel.samples = static_cast<std::int64_t>(samples.size());
      kernel.retimed = retimed_[key];
      kernel.points = std::move(points_[key]);
      summarise(kernel);
      evidence_.judge(kernel, deviation_of_runs(), check.complete && !check.noisy, replacement);
      kernel.verdict = verdict(kernel);
    }
    if (!replacement.removed.empty()) {
      services_.store.replace_samples(replacement.removed, replacement.added);
      services_.store.put_environment(services_.environment);
      services_.keep_reference();
    }
    check.seconds = services_.elapsed();
    return check;
  }

  const ModelCheckRequest& request_;
  const ModelCheckServices& services_;
  const RunContext& context_;
  Progress show_;
  CheckedSegments all_;
  model::OnDemandModels belief_;     ///< models of all samples, in the present state
  model::OnDemandModels predictor_;  ///< models without the places held out, but with the retimed ones
  MachineState present_;
  CheckPlan plan_;
  std::size_t next_ = 0;  ///< index of the next checked segment
  bool is_retest_ = false;
  SampleEvidence evidence_;
  std::map<ModelKey, std::vector<CheckedPoint>> points_;
  std::map<ModelKey, std::int64_t> retimed_;
};

void require_sensible(const ModelCheckRequest& request) {
  if (!(request.time_budget > 0)) {
    throw bad_input("a time budget of {} s given, expected more than 0", request.time_budget);
  }
  if (request.repetitions < static_cast<std::int64_t>(fewest_runs) || request.repetitions > 1000) {
    throw bad_input("{} repetitions given, expected 3 to 1000", request.repetitions);
  }
}

}  // namespace

ModelCheck check_models(const ModelCheckRequest& request, const ModelCheckServices& services, const RunContext& context) {
  require_sensible(request);
  return Checker(request, services, context).run();
}

}  // namespace flopcast
