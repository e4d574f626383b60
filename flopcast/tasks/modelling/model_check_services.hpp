#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"

namespace flopcast {

/// Measurements and the store that a check uses. Tests replace the measurements by formulae.
struct ModelCheckServices {
  const Environment& environment;
  model::Store& store;
  std::function<MachineState()> observe;  ///< returns the present state of the machine
  /// Times experiments. If `go_on` returns false, the runs so far are returned.
  std::function<std::vector<measure::Timings>(std::span<const measure::Experiment> experiments, const Progress& go_on)> measure;
  std::function<Seconds()> elapsed;                         ///< returns the time since the check began
  std::function<double()> busy_cores = [] { return 0.0; };  ///< returns how many cores other programs kept busy since the check began
  std::function<void()> keep_reference = [] {};             ///< called when samples of the check were stored
};

/// Checks models with these services, as the function of the same name in model_check.hpp.
ModelCheck check_models(const ModelCheckRequest& request, const ModelCheckServices& services, const RunContext& context);

}  // namespace flopcast
