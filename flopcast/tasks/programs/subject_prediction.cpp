#include "flopcast/tasks/programs/subject_prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "flopcast/predict/contention.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

prediction::PredictOptions options_of(const PredictionOptions& options, bool per_call) {
  prediction::PredictOptions lower;
  lower.method = options.method;
  lower.capacity_bytes = options.capacity_bytes;
  lower.per_call = per_call;
  return lower;
}

/// Returns one prediction per subject from `models`.
std::vector<prediction::TracePrediction> predictions_from(const std::vector<PredictionSubject>& subjects, const PredictionOptions& options,
                                                          const Environment& environment, const prediction::KernelModels& models,
                                                          bool per_call) {
  std::vector<prediction::TracePrediction> all;
  for (const PredictionSubject& subject : subjects) {
    const cache::CacheState state = cache::cache_state(subject.trace, environment.caches, start_of(options));
    all.push_back(prediction::predict(subject.trace, state, environment.caches, models, options_of(options, per_call)));
  }
  return all;
}

/// Throws bad_input with the commands that build the models that are missing.
void require_models(const std::vector<PredictionSubject>& subjects, const PredictionOptions& options, const PredictionServices& services) {
  const prediction::ModelRequirements requirements(services.environment.fingerprint);
  predictions_from(subjects, options, services.environment, requirements, false);
  std::vector<std::string> commands;
  for (const auto& [key, missing] : requirements.missing()) {
    if (!services.find_model(key)) {
      commands.push_back(build_command(key, missing, services.libraries, options.generator));
    }
  }
  if (!commands.empty()) {
    throw bad_input("--cache-model {} needs {} that the store does not have; build {} with\n  {}", prediction::to_string(options.method),
                    counted(commands.size(), "model"), commands.size() == 1 ? "it" : "them", fmt::join(commands, "\n  "));
  }
}

std::vector<prediction::TracePrediction> predict_each(const std::vector<PredictionSubject>& subjects, const PredictionOptions& options,
                                                      const PredictionServices& services, bool per_call) {
  const Environment& environment = services.environment;
  if (options.method == prediction::Method::placed || options.generator == "demand") {
    std::vector<tuning::Subject> traces;
    for (const PredictionSubject& subject : subjects) {
      traces.push_back({subject.trace, cache::cache_state(subject.trace, environment.caches, start_of(options)).placements, 1});
    }
    return predictions_from(subjects, options, environment, services.on_demand(traces), per_call);
  }
  require_models(subjects, options, services);
  return predictions_from(subjects, options, environment, prediction::StoredModels(services.find_model, environment.fingerprint), per_call);
}

Seconds total(const std::vector<prediction::TracePrediction>& predictions) {
  return std::accumulate(predictions.begin(), predictions.end(), Seconds{0},
                         [](Seconds sum, const prediction::TracePrediction& one) { return sum + one.seconds; });
}

/// Makes the threads of a recorded program share the cores, and notes if that takes time.
void share_cores(std::vector<prediction::TracePrediction>& predictions, const std::vector<PredictionSubject>& subjects,
                 const PredictionServices& services, const RunContext& context) {
  std::vector<std::vector<Seconds>> pauses;
  for (const PredictionSubject& subject : subjects) {
    pauses.push_back(subject.pauses);
  }
  static constexpr double noticeable = 1.001;
  const Seconds alone = total(predictions);
  if (prediction::share_cores(predictions, pauses, services.libraries.threads, services.cpus) > noticeable) {
    context.note(fmt::format("threads wait for the same {:g} CPUs: {} instead of {}", services.cpus, format_seconds(total(predictions)),
                             format_seconds(alone)));
  }
}

/// Returns the options that choose these libraries.
std::string library_options(const machine::LibraryChoice& libraries) {
  std::string text = libraries.blas.empty() ? "" : " --blas " + libraries.blas;
  text += libraries.lapack.empty() ? "" : " --lapack " + libraries.lapack;
  text += libraries.kernels == machine::LibraryChoice().kernels ? "" : " --kernels " + libraries.kernels;
  return text + (libraries.threads == 1 ? "" : fmt::format(" --threads {}", libraries.threads));
}

}  // namespace

cache::Start start_of(const PredictionOptions& options) {
  return options.start.value_or(options.method == prediction::Method::paper ? cache::Start::artificial : cache::Start::filled);
}

std::string build_command(const ModelKey& key, const prediction::MissingModel& missing, const machine::LibraryChoice& libraries,
                          const std::string& generator) {
  std::string text = "flopcast model build " + key.routine;
  const Routine& routine = *missing.example.routine;
  std::size_t size = 0, stride = 0;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const std::string& name = routine.arguments[i].name;
    const std::int64_t value = missing.example.arguments[i];
    switch (routine.arguments[i].kind) {
      case Kind::flag: text += fmt::format(" {}={}", name, missing.example.flag(i)); break;
      case Kind::sign: text += fmt::format(" {}={}", name, value); break;
      case Kind::size: {
        const std::int64_t low = missing.box.low[size], high = missing.box.high[size];
        text += low == high ? fmt::format(" {}={}", name, low) : fmt::format(" {}={}:{}", name, low, high);
        ++size;
        break;
      }
      case Kind::scalar:
      case Kind::real_scalar: text += fmt::format(" {}={}", name, missing.example.scalars[static_cast<std::size_t>(value)].real()); break;
      case Kind::leading_dimension:
      case Kind::increment: {
        const char kind = key.strides[stride++];
        text += kind == 'p' || kind == 'i' ? fmt::format(" {}={}", name, value) : "";
        break;
      }
      default: break;
    }
  }
  return text + " --cache " + key.cache + (generator == "levels" ? " --method levels" : "") + library_options(libraries);
}

std::vector<Prediction> predict_subjects(const std::vector<PredictionSubject>& subjects, const PredictionOptions& options,
                                         const PredictionServices& services, const RunContext& context) {
  const bool are_threads = subjects.size() > 1 && subjects.front().is_thread();
  std::vector<prediction::TracePrediction> predicted = predict_each(subjects, options, services, options.with_calls || are_threads);
  if (are_threads) {
    share_cores(predicted, subjects, services, context);
  }
  std::vector<Prediction> all;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    all.push_back(result_of(subjects[i], predicted[i], options.with_calls));
  }
  return all;
}

Prediction result_of(const PredictionSubject& subject, const prediction::TracePrediction& predicted, bool with_calls) {
  Prediction result;
  result.algorithm = subject.trace.configuration.algorithm;
  result.parameters = subject.trace.configuration.parameters;
  result.sizes = subject.sizes;
  result.blocks = subject.blocks;
  result.is_thread = subject.is_thread();
  result.seconds = predicted.seconds;
  result.interval = predicted.interval;
  result.flops = subject.flops;
  result.extrapolated_share = predicted.extrapolated_share();
  if (!result.is_thread) {
    result.resident_bytes = resident_bytes(subject.trace);
  }
  for (const prediction::KernelPrediction& kernel : predicted.kernels) {
    result.kernels.push_back({kernel.key, kernel.calls, kernel.flops, kernel.seconds, kernel.deviation, kernel.extrapolated});
  }
  if (!subject.trace.measured.empty()) {
    result.recorded = std::accumulate(subject.trace.measured.begin(), subject.trace.measured.end(), Seconds{0});
  }
  if (with_calls) {
    result.calls.emplace();
    for (std::size_t c = 0; c < predicted.calls.size(); ++c) {
      const Call& call = subject.trace.calls[c];
      const auto of_call = sizes(call);
      const prediction::CallPrediction& time = predicted.calls[c];
      result.calls->push_back(
          {call.routine->name, flags(call), {of_call.begin(), of_call.end()}, time.seconds, time.relative_error, time.extrapolated});
    }
  }
  return result;
}

void note_extrapolation(const std::vector<Prediction>& predictions, const std::string& remedy, const RunContext& context) {
  static constexpr double noticeable = 0.01;
  double worst = 0;
  for (const Prediction& prediction : predictions) {
    worst = std::max(worst, prediction.extrapolated_share);
  }
  if (worst > noticeable) {
    context.note(fmt::format("up to {} of the time lies outside of what was sampled{}", format_percent(worst), remedy));
  }
}

}  // namespace flopcast
