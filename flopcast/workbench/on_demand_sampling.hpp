#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/sample.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tune/design.hpp"
#include "flopcast/tune/sampling.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

struct SamplingLimits {
  Seconds budget = 0;
  std::string label;  ///< label of the progress bar
};

/// Returns services that time calls in `session` and keep each timing in the store, until a limit is reached or the operation is cancelled.
/// The budget counts from now. All arguments but the limits must outlive the result.
tuning::SamplingServices sampling_services(measure::Session& session, model::Store& store, const Workbench& bench,
                                           const SamplingLimits& limits, const RunContext& context);

/// Notes that the machine was noisy, if it was: other programs kept more than half a core busy, or the reference kernel's times differed by
/// a tenth in the state for which times are predicted. All commands note it by this function.
void tell_noise(double busy_cores, const MachineState& state, const RunContext& context);

/// Measures what the models lack to predict these traces with the relative standard deviation `target`, for at most `budget` seconds, and keeps it; `label` names the progress
/// bar. `weigh` may set the weights of `traces` by their expected times. Throws Cancelled if the operation is cancelled: the samples so far
/// are kept.
void sample_missing(std::vector<tuning::Subject>& traces, const Workbench& bench, model::Store& store, model::OnDemandModels& models,
                    Seconds budget, const std::string& label, const RunContext& context,
                    const std::function<void(std::span<const Seconds> totals)>& weigh = {}, double target = 0.01);

}  // namespace flopcast
