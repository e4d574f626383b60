#pragma once

#include <string>
#include <vector>

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

/// Returns sources that time calls in `session` and keep each timing in the store, until a limit is reached or the operation is cancelled.
/// The budget counts from now. All arguments but the limits must outlive the result.
tuning::SamplingSources sampling_sources(measure::Session& session, model::Store& store, const Workbench& bench,
                                         const SamplingLimits& limits, const RunContext& context);

/// Warns if the machine was restless in the state for which `models` predict, because programs' times then differ from moment to moment.
void note_unrest(const model::OnDemandModels& models, const RunContext& context);

/// Measures what the models lack to predict these traces to 1 %, for at most `budget` seconds, and keeps it; `label` names the progress
/// bar. Throws Cancelled if the operation is cancelled: the samples so far are kept.
void sample_missing(std::vector<tuning::Subject>& traces, const Workbench& bench, model::Store& store, model::OnDemandModels& models,
                    Seconds budget, const std::string& label, const RunContext& context);

}  // namespace flopcast
