#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tune/design.hpp"

namespace flopcast::tune {

/// What sampling needs from the outside; the command line passes a measuring session and the store, tests a synthetic machine.
struct SamplingSources {
  /// Measures experiments; may return early (fewer repetitions, or none of some) when interrupted.
  std::function<std::vector<measure::Timings>(std::span<const measure::Experiment>)> measure;
  /// Keeps what was measured; called after every batch.
  std::function<void(std::span<const Sample>)> keep = [](std::span<const Sample>) {};
  /// Seconds since work began, on any clock.
  std::function<Seconds()> elapsed;
  std::function<bool()> interrupted = [] { return false; };
};

/// What sampling has cost so far.
struct SamplingCost {
  std::size_t segments = 0;  ///< measured
  std::size_t timings = 0;   ///< repetitions of timed calls
  Seconds measuring = 0;
};

/// Samples on demand for a set of traces, in as many rounds as it takes.
class OnDemandSampler {
 public:
  /// The arguments must outlive the sampler.
  OnDemandSampler(const Environment& environment, model::OnDemandModels& models, const SamplingSources& sources)
      : environment_(environment), models_(models), sources_(sources) {}

  /// Measures batch after batch until the relative standard deviation of every subject's total, times its weight, is below `target`;
  /// `weigh` sets the weights before each batch, once there are models, given every subject's expected time. No stretch is measured twice.
  /// False if `until` (of sources.elapsed) came first or work was interrupted.
  bool refine(std::vector<Subject>& subjects, double target, Seconds until,
              const std::function<void(std::span<const Seconds> totals)>& weigh = {});

  [[nodiscard]] const SamplingCost& cost() const noexcept { return cost_; }

 private:
  void measure(const std::vector<Subject>& subjects, const std::vector<Pick>& picks);

  const Environment& environment_;
  model::OnDemandModels& models_;
  const SamplingSources& sources_;
  SamplingCost cost_;
};

}  // namespace flopcast::tune
