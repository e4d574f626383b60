#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/predict.hpp"
#include "flopcast/tasks/programs/prediction_subjects.hpp"
#include "flopcast/tune/design.hpp"

/// Prediction of traces from models, wherever these come from.
namespace flopcast {

/// Models and machine of a prediction. Tests have models of their own.
struct PredictionServices {
  const Environment& environment;
  machine::LibraryChoice libraries;  ///< the user's choice, for messages that name a command
  /// Returns models on demand for these traces, after sampling what they lack. They live as long as the services.
  std::function<const prediction::KernelModels&(std::vector<tuning::Subject>& traces)> on_demand;
  prediction::FindModel find_model;  ///< finds a model that was built before
  double cpus = 1;                   ///< CPUs' worth of time that the threads of a program share
};

/// Returns the command that builds a missing model.
std::string build_command(const ModelKey& key, const prediction::MissingModel& missing, const machine::LibraryChoice& libraries,
                          const std::string& generator);

/// Predicts every subject. Several recorded threads share the cores. Throws bad_input with the commands that build models that are missing.
std::vector<Prediction> predict_subjects(const std::vector<PredictionSubject>& subjects, const PredictionOptions& options,
                                         const PredictionServices& services, const RunContext& context);

/// Returns one subject's prediction as a result. `with_calls` adds the single calls, which `predicted` must then have.
Prediction result_of(const PredictionSubject& subject, const prediction::TracePrediction& predicted, bool with_calls);

/// Returns the state of the caches with which a trace begins.
cache::Start start_of(const PredictionOptions& options);

/// Notes which share of the times lies outside of what was sampled if that is over 1 %, followed by `remedy`.
void note_extrapolation(const std::vector<Prediction>& predictions, const std::string& remedy, const RunContext& context);

}  // namespace flopcast
