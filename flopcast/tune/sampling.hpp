#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/decision.hpp"
#include "flopcast/tune/design.hpp"
#include "flopcast/tune/kept_segments.hpp"

namespace flopcast::tuning {

/// Functions that sampling needs. The command line passes a measuring session and the store, tests pass a synthetic machine.
struct SamplingServices {
  /// Measures experiments. When interrupted, it may return early with fewer repetitions, or none for some experiments.
  std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)> measure;
  /// Returns the present state of the machine, for which times are to be predicted if there is time to measure. Default: the usual state of
  /// what the models know.
  std::function<MachineState()> observe = [] { return MachineState{}; };
  /// Stores the measurements; called after every batch.
  std::function<void(std::span<const Sample>)> keep = [](std::span<const Sample>) {};
  /// Keeps the segments in which these were measured, so that they can be measured again.
  std::function<void(std::span<const KeptSegment>)> keep_segments = [](std::span<const KeptSegment>) {};
  /// Returns the seconds since the start, on any clock.
  std::function<Seconds()> elapsed;
  std::function<bool()> interrupted = [] { return false; };
};

/// Samples on demand for a set of traces, in as many rounds as necessary.
class OnDemandSampler {
 public:
  /// The arguments must outlive the sampler.
  OnDemandSampler(const Environment& environment, model::OnDemandModels& models, const SamplingServices& services)
      : environment_(environment), models_(models), services_(services) {}

  /// Measures batch after batch until the weighted relative standard deviation of every subject's total is below `target`. Once there are
  /// models, `weigh` sets the weights before each batch, given the expected time of every subject. No segment is measured twice. Kernels that
  /// are known from earlier sessions only are timed at a few places again, as far as their state may have changed. Segments that are expected to
  /// take longer than what is left of the time are not measured. Returns false if the time `until` (on the clock of services.elapsed) came first
  /// or if work was interrupted.
  bool refine(std::vector<Subject>& subjects, double target, Seconds until,
              const std::function<void(std::span<const Seconds> totals)>& weigh = {});

  [[nodiscard]] const SamplingCost& cost() const noexcept { return cost_; }

 private:
  void measure(const std::vector<Subject>& subjects, const std::vector<Pick>& picks);

  const Environment& environment_;
  model::OnDemandModels& models_;
  const SamplingServices& services_;
  SamplingCost cost_;
  Seconds thinking_ = 0;  ///< time for choosing segments and fitting in the last round, and the estimate for the next
};

/// Returns a trace of the call alone. With `repeated`, its operands lie where the same call before has left them.
Subject subject_of(const Call& call, const Environment& environment, bool repeated = false);

/// Returns the call with all sizes multiplied by `factor`, 0 to 1, with the leading dimensions and workspaces that they need and without
/// addresses. Sizes of 0 and 1 stay.
Call smaller_call(const Call& call, double factor);

/// Returns traces of one call each, to be sampled in place of the calls of `subjects` that are expected to take longer than `max_seconds`.
/// Each such call has three smaller ones, halved until they are expected to take `max_seconds` at most, and twice more.
std::vector<Subject> smaller_subjects(const std::vector<Subject>& subjects, const Environment& environment,
                                      const model::OnDemandModels& models, Seconds max_seconds);

}  // namespace flopcast::tuning
