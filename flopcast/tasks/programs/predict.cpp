#include "flopcast/tasks/programs/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/routine_problem.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/thread_safety.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/subject_prediction.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/other_machine.hpp"

namespace flopcast {
namespace {

constexpr std::int64_t max_block = 1000000;

/// Takes `name`=VALUES out of `words`.
std::vector<std::int64_t> take_values(std::vector<std::string>& words, const std::string& name, std::int64_t min) {
  const std::string prefix = name + "=";
  const auto at = std::find_if(words.begin(), words.end(), [&](const std::string& word) { return word.starts_with(prefix); });
  if (at == words.end()) {
    return {};
  }
  std::vector<std::int64_t> values = parse_sizes(at->substr(prefix.size()), name, min, max_block);
  words.erase(at);
  return values;
}

/// Models of a store, on demand or built before.
class StoreModels {
 public:
  StoreModels(model::Store& store, const Environment& environment) : store_(store), models_(stored_models(store, environment)) {}

  /// Samples what the models lack with `bench`.
  void sample(std::vector<tuning::Subject>& traces, const Workbench& bench, Seconds budget, const RunContext& context) {
    sample_missing(traces, bench, store_, models_, budget, "sampling kernels", context);
  }
  [[nodiscard]] const prediction::KernelModels& placed() const { return placed_; }
  [[nodiscard]] prediction::FindModel finder(const std::string& generator) const {
    return [this, generator](const ModelKey& key) { return store_.find_model(key, generator); };
  }

 private:
  model::Store& store_;
  model::OnDemandModels models_;
  prediction::PlacedModels placed_{models_};
};

constexpr const char* more_time = "; a larger --time-budget samples more";

Predictions predict_here(const std::vector<PredictionSubject>& subjects, const Workbench& bench, const PredictionOptions& options,
                         const RunContext& context) {
  const Environment& environment = bench.environment();
  StoreModels models(bench.store(), environment);
  PredictionServices services{environment, bench.choice(), {}, models.finder(options.generator)};
  services.on_demand = [&](std::vector<tuning::Subject>& traces) -> const prediction::KernelModels& {
    models.sample(traces, bench, options.time_budget, context);
    return models.placed();
  };
  services.cpus = machine::usable_cpus(machine::detect_topology());
  Predictions result{environment, options, predict_subjects(subjects, options, services, context)};
  note_extrapolation(result.predictions, options.method == prediction::Method::placed ? more_time : "", context);
  return result;
}

/// Completes the place of a recording, and notes how to read its times.
void prepare(OpenedRecording& opened, const RunContext& context) {
  if (const std::string assumed = opened.complete_place({}, context); !assumed.empty()) {
    context.note(assumed);
  }
  if (opened.kernels && opened.kernels->misread()) {
    context.note(opened.kernels->text());
  }
}

/// Says which part of a recorded run the predictions skip, and how much memory the run took if nothing changes it. The calls of a dry run
/// took none.
void add_recorded(Predictions& result, const OpenedRecording& recording, bool is_same) {
  const program::ProgramSummary& summary = recording.file.summary();
  result.own_code_seconds = program::own_code_seconds(summary, recording.breakdown);
  Seconds whole = summary.seconds;
  if (summary.dry_run) {
    Seconds longest = 0;
    for (const Prediction& thread : result.predictions) {
      longest = std::max(longest, thread.seconds);
    }
    whole = result.own_code_seconds + longest;
  }
  result.own_code_share = whole > 0 ? result.own_code_seconds / whole : 0;
  if (is_same && !summary.dry_run && summary.resident_bytes > 0) {
    result.resident_bytes = summary.resident_bytes;
  }
}

/// Answers one question about a recording, with the predictions of its threads.
Predictions predict_change(const OpenedRecording& opened, const WhatIf& change, const PredictionOptions& options,
                           const RunContext& context) {
  note_skipped(opened.file, context);
  for (const std::string& remark : program::recording_remarks(opened.file.summary(), opened.breakdown)) {
    context.note(remark);
  }
  EvaluationOptions evaluation;
  evaluation.time_budget = options.time_budget;
  evaluation.one_thread_remedy = [](const WhatIf&) { return "Add --threads 1"; };
  const WhatIfServices services = this_machine(opened.file, context);
  std::vector<WhatIfEvaluation> answers = evaluate({change}, opened.file, opened.breakdown, opened.place, evaluation, services, context);
  const WhatIfResult& answer = answers.front().result;
  if (!answer.failure.empty()) {
    throw Error(static_cast<ExitCode>(answer.failure_code), answer.failure);
  }
  context.note(fmt::format("predicted for {}", answer.place));
  Predictions result{answer.environment, options, {}};
  for (PredictedThread& thread : answers.front().threads) {
    PredictionSubject subject{std::to_string(opened.file.summary().threads[thread.thread].tid),
                              "-",
                              flops(thread.trace),
                              std::move(thread.trace),
                              {0}};  // a pause marks a thread
    result.predictions.push_back(result_of(subject, thread.prediction, options.with_calls));
    result.predictions.back().by_models = thread.by_models;
  }
  note_extrapolation(result.predictions, more_time, context);
  add_recorded(result, opened, change.is_same());
  return result;
}

/// Predicts subjects that may come from other libraries than those of `bench`.
Predictions predict_read(const std::vector<PredictionSubject>& subjects, const Workbench& bench, const PredictionOptions& options,
                         const RunContext& context) {
  context.note(fmt::format("predicted for {}", place_text(bench.environment())));
  return predict_here(subjects, bench, options, context);
}

Predictions predict_recording(const PredictTraceRequest& request, const RunContext& context) {
  OpenedRecording opened(request.trace);
  prepare(opened, context);
  if (request.options.method == prediction::Method::placed && start_of(request.options) == cache::Start::filled) {
    return predict_change(opened, request.what_if, request.options, context);
  }
  const Workbench bench = Workbench::opened(libraries_for(opened, request.what_if), context);
  Predictions result =
      predict_read(thread_subjects(opened, request.trace, bench.choice().threads, context), bench, request.options, context);
  add_recorded(result, opened, request.what_if.is_same());
  return result;
}

}  // namespace

LapackProblems parse_problems(const std::string& routine, const std::vector<std::string>& words) {
  std::vector<std::string> others = words;
  LapackProblems problems;
  problems.routine = routine;
  problems.nb = take_values(others, "nb", 1);
  problems.nbmin = take_values(others, "nbmin", 0);
  problems.nx = take_values(others, "nx", 0);
  kernel::RoutineArguments arguments = kernel::parse_routine_arguments(kernel::require(routine), others);
  problems.sizes = std::move(arguments.sizes);
  problems.arguments = std::move(arguments.fixed);
  return problems;
}

Predictions predict(const Workbench& bench, const PredictRequest& request, const RunContext& context) {
  return predict_here(record_subjects(request.problems, bench, context), bench, request.options, context);
}

std::vector<Call> calls_of(const LapackProblems& problems) {
  NamedSizes sizes = problems.sizes;
  if (!problems.n.empty() && !sizes.emplace("n", problems.n).second) {
    throw bad_input("n is given twice, as n and in sizes");
  }
  return kernel::routine_calls(kernel::require(problems.routine), sizes, problems.arguments);
}

bool is_recording(const std::string& file) { return program::is_program_trace(file); }

Predictions predict_trace(const OtherMachine& machine, const PredictTraceRequest& request, const RunContext& context) {
  const PredictionOptions& options = request.options;
  machine::LibraryChoice libraries = machine.libraries;
  libraries.threads = machine.threads.value_or(1);
  std::optional<OpenedRecording> recording;
  if (is_recording(request.trace)) {
    recording.emplace(request.trace);
    libraries.threads = machine.threads.value_or(recording->place.threads.value_or(1));
  }
  model::Store store = model::Store::open_copy(machine.store);
  const Environment environment = sampled_environment(store, {libraries, machine.fingerprint});
  const std::vector<PredictionSubject> subjects = recording ? thread_subjects(*recording, request.trace, libraries.threads, context)
                                                            : std::vector{read_subject(request.trace, libraries.threads)};
  if (recording) {
    program::require_thread_safe(recording->file, environment);
  }
  context.note(fmt::format("models of {}, {}", environment.cpu, place_text(environment)));
  const StoreModels models(store, environment);
  PredictionServices services{environment, libraries, {}, models.finder(options.generator)};
  services.on_demand = [&](std::vector<tuning::Subject>&) -> const prediction::KernelModels& { return models.placed(); };
  services.cpus = environment.cores;
  Predictions result{environment, options, predict_subjects(subjects, options, services, context)};
  const bool placed = options.method == prediction::Method::placed;
  note_extrapolation(result.predictions, placed ? "; predict the trace on that machine, which samples more, and copy its store again" : "",
                     context);
  if (recording) {
    add_recorded(result, *recording, false);
  }
  return result;
}

Predictions predict_trace(const Workbench& bench, const PredictTraceRequest& request, const RunContext& context) {
  if (is_recording(request.trace)) {
    return predict_recording(request, context);
  }
  if (!request.what_if.is_same()) {
    throw bad_input("{} is the trace of a routine. Only the libraries of a recorded program can be changed by '{}'", request.trace,
                    to_string(request.what_if));
  }
  return predict_read({read_subject(request.trace, bench.choice().threads)}, bench, request.options, context);
}

}  // namespace flopcast
