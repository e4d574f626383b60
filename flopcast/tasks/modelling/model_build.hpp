#pragma once

#include <functional>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/measure/precondition.hpp"
#include "flopcast/measure/session.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {

/// Measurements and the store that a model build uses. Tests replace the measurements by formulae.
struct ModelBuildServices {
  const Environment& environment;
  model::Store& store;
  Seconds reference_time = 0;  ///< present time of the reference kernel; 0: not known
  /// Samples calls in a cache state. If `progress` returns false, the samples so far are returned.
  std::function<std::vector<Sample>(std::span<const Call> calls, const measure::Precondition& state, const Progress& progress)> sample;
  std::function<double(const Call& call)> team_size;  ///< returns how many threads work on a call
  std::function<Seconds()> elapsed;                   ///< returns the time since the build began
  std::function<void()> keep_reference = [] {};       ///< called once all points are sampled, or sampling was cancelled
};

/// Options of the session that samples for a build.
measure::SessionOptions session_options(const ModelRequest& request);

/// Builds the model with these services and stores it, as the function of the same name in modelling.hpp.
ModelBuild build_model(const ModelRequest& request, const ModelBuildServices& services, const RunContext& context);

/// Plans a build for an environment and a store.
ModelPlan plan_model(const ModelRequest& request, const Environment& environment, const model::Store& store, Seconds reference_time);

}  // namespace flopcast
