#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cache/placement.hpp"
#include "flopcast/cli/command.hpp"
#include "flopcast/cli/library_options.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/predict/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/predict/contention.hpp"
#include "flopcast/predict/model_requirements.hpp"
#include "flopcast/predict/placed_models.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/predict/stored_models.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/recorded_place.hpp"
#include "flopcast/program/recording_warnings.hpp"
#include "flopcast/program/thread_safety.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/predict_subjects.hpp"
#include "flopcast/tasks/programs/what_if.hpp"
#include "flopcast/tune/design.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"
#include "flopcast/workbench/other_machine.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(How --cache treats the cache:
  placed  every operand in its own level (models on demand: kernels are sampled where the store lacks samples)
  levels  blend of models of whole calls in each level
  paper   blend of warm and cold by smoothed access distance (Peise and Bientinesi)
  warm    everything cached
  cold    nothing cached

How another machine is asked: 'flopcast predict --trace FILE' on that machine samples what it lacks; copy its store here
(~/.local/share/flopcast/flopcast.db) and predict the same trace, or similar ones, with --models COPY.

A recorded program is predicted as 'flopcast profile --what-if' does it: with the libraries,
threads and kernels that it was recorded with, where no option names others. "by models" is what
the models alone expect; "predicted" is what they expect to change in the recorded time. Nothing
changes where it was recorded.

Examples:
  flopcast predict dgeqrf n=200:1000:200 nb=32,64
  flopcast predict dpotrf uplo=L n=1000 nb=96 --explain
  flopcast trace dgeqrf n=1000 nb=64 | flopcast predict --trace -
  flopcast record --threads 1 -- octave-cli --eval 'qr(rand(400));' && flopcast predict --trace flopcast.trace --blas blis)";

struct PredictCommand {
  std::string routine;
  std::vector<std::string> arguments;
  std::string trace;
  std::string method = "placed";
  std::string start;
  std::string capacity;
  std::string generator = "refined";
  std::string time_budget = "10s";
  std::string models;       ///< a copy of another machine's store; empty: our own
  std::string environment;  ///< which one of it
  bool explain = false;
  machine::LibraryChoice libraries;
  bool threads_given = false, kernels_given = false;
};

cache::Start parse_start(const std::string& text, prediction::Method method) {
  if (text.empty()) {
    return method == prediction::Method::paper ? cache::Start::artificial : cache::Start::filled;
  }
  return text == "filled"     ? cache::Start::filled
         : text == "repeated" ? cache::Start::repeated
         : text == "paper"    ? cache::Start::artificial
                              : cache::Start::cold;
}

/// What builds the model that is needed.
std::string build_command(const ModelKey& key, const prediction::MissingModel& need, const PredictCommand& options) {
  std::string text = "flopcast model build " + key.routine;
  const Routine& routine = *need.example.routine;
  std::size_t size = 0, stride = 0;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const std::string& name = routine.arguments[i].name;
    const std::int64_t value = need.example.arguments[i];
    switch (routine.arguments[i].kind) {
      case Kind::flag: text += fmt::format(" {}={}", name, need.example.flag(i)); break;
      case Kind::sign: text += fmt::format(" {}={}", name, value); break;
      case Kind::size: {
        const std::int64_t low = need.box.low[size], high = need.box.high[size];
        text += low == high ? fmt::format(" {}={}", name, low) : fmt::format(" {}={}:{}", name, low, high);
        ++size;
        break;
      }
      case Kind::scalar:
      case Kind::real_scalar: text += fmt::format(" {}={}", name, need.example.scalars[static_cast<std::size_t>(value)].real()); break;
      case Kind::leading_dimension:
      case Kind::increment: {
        const char kind = key.strides[stride++];
        text += kind == 'p' || kind == 'i' ? fmt::format(" {}={}", name, value) : "";
        break;
      }
      default: break;
    }
  }
  text += " --cache " + key.cache;
  text += options.libraries.blas.empty() ? "" : " --blas " + options.libraries.blas;
  text += options.libraries.lapack.empty() ? "" : " --lapack " + options.libraries.lapack;
  return text + (options.libraries.threads == 1 ? "" : fmt::format(" --threads {}", options.libraries.threads));
}

/// One prediction per subject from `models`.
std::vector<Forecast> forecasts(const std::vector<PredictSubject>& subjects, const Environment& environment, cache::Start start,
                                const prediction::KernelModels& models, const prediction::PredictOptions& options) {
  std::vector<Forecast> all;
  for (const PredictSubject& subject : subjects) {
    const cache::CacheState state = cache::cache_state(subject.trace, environment.caches, start);
    all.emplace_back(&subject, prediction::predict(subject.trace, state, environment.caches, models, options));
  }
  return all;
}

/// Throws bad_input with the commands that build what the store lacks.
void require_models(const std::vector<PredictSubject>& subjects, const Environment& environment, cache::Start start,
                    const prediction::FindModel& find, const prediction::PredictOptions& options, const PredictCommand& command) {
  const prediction::ModelRequirements demand(environment.fingerprint);
  forecasts(subjects, environment, start, demand, options);
  std::vector<std::string> commands;
  for (const auto& [key, need] : demand.missing()) {
    if (!find(key)) {
      commands.push_back(build_command(key, need, command));
    }
  }
  if (!commands.empty()) {
    throw bad_input("--cache {} needs {} model{} that the store does not have; build {} with\n  {}", command.method, commands.size(),
                    commands.size() == 1 ? "" : "s", commands.size() == 1 ? "it" : "them", fmt::join(commands, "\n  "));
  }
}

/// Measures what the models lack for these subjects, and keeps it.
void sample_subjects(const std::vector<PredictSubject>& subjects, const Workbench& bench, cache::Start start, model::Store& store,
                     model::OnDemandModels& models, const PredictCommand& command, const CommonOptions& common) {
  const Seconds budget = parse_duration(command.time_budget, "--time-budget");
  std::vector<tuning::Subject> traces;
  for (const PredictSubject& subject : subjects) {
    traces.push_back({subject.trace, cache::cache_state(subject.trace, bench.environment().caches, start).placements, 1});
  }
  sample_missing(traces, bench, store, models, budget, "sampling kernels", run_context(common));
}

/// Threads of a recorded program that call at the same time share the cores.
void share_cores(std::vector<Forecast>& threads, int threads_of_blas, double cpus, const CommonOptions& common) {
  std::vector<std::vector<prediction::CallerStep>> steps;
  Seconds alone = 0;
  for (const auto& [subject, prediction] : threads) {
    steps.emplace_back();
    for (std::size_t c = 0; c < prediction.calls.size(); ++c) {
      steps.back().push_back({subject->pauses.at(c), prediction.calls[c].seconds, threads_of_blas});
    }
    alone += prediction.seconds;
  }
  const auto durations = prediction::shared_durations(steps, cpus);
  Seconds shared = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].second = prediction::with_durations(threads[t].second, durations[t]);
    shared += threads[t].second.seconds;
  }
  if (shared > 1.001 * alone) {
    note(fmt::format("threads wait for the same {:g} CPUs: {} instead of {}", cpus, format_seconds(shared), format_seconds(alone)), common);
  }
}

/// By the models of `store`; what they lack is measured on `bench`, if there is one.
std::vector<Forecast> predict_all(const PredictCommand& command, const std::vector<PredictSubject>& subjects,
                                  const Environment& environment, model::Store& store, const Workbench* bench,
                                  const prediction::PredictOptions& options, const CommonOptions& common) {
  const cache::Start start = parse_start(command.start, options.method);
  if (options.method == prediction::Method::placed || command.generator == "demand") {
    model::OnDemandModels models = stored_models(store, environment);
    if (bench != nullptr) {
      sample_subjects(subjects, *bench, start, store, models, command, common);
    }
    return forecasts(subjects, environment, start, prediction::PlacedModels(models), options);
  }
  const prediction::FindModel find = [&](const ModelKey& key) { return store.find_model(key, command.generator); };
  require_models(subjects, environment, start, find, options, command);
  return forecasts(subjects, environment, start, prediction::StoredModels(find, environment.fingerprint), options);
}

void show(const PredictCommand& command, const std::vector<Forecast>& forecasts, const Environment& environment,
          const CommonOptions& common) {
  if (common.json) {
    nlohmann::json predictions = nlohmann::json::array();
    for (const Forecast& forecast : forecasts) {
      predictions.push_back(to_json(forecast, command.explain));
    }
    emit(
        nlohmann::json{
            {"schema", "flopcast-predict-1"},
            {"environment", environment},
            {"options",
             {{"cache", command.method}, {"start", command.start}, {"capacity", command.capacity}, {"generator", command.generator}}},
            {"predictions", std::move(predictions)}},
        common);
    return;
  }
  std::string text = render(summary_table(forecasts), common);
  if (command.explain) {
    for (const Forecast& forecast : forecasts) {
      text += explanation(forecast, common);
    }
  }
  emit(text, common);
}

void check(const PredictCommand& command, const CommonOptions& common) {
  if (command.routine.empty() == command.trace.empty()) {
    throw usage_error("predict needs either a routine, such as dgeqrf n=1000, or --trace FILE");
  }
  if (command.explain && common.csv) {
    throw usage_error("--explain gives several tables, which --csv can't hold; use --json");
  }
  if (!command.routine.empty()) {
    kernel::require(command.routine);  // before anything is opened
  }
  if (!command.models.empty() && command.trace.empty()) {
    throw usage_error("--models needs --trace: record the calls here, such as with 'flopcast trace {} ...', and predict that",
                      command.routine);
  }
  if (!command.environment.empty() && command.models.empty()) {
    throw usage_error("--environment says which one of --models FILE is meant; no such file is given");
  }
}

/// Threads of a recorded program, which may call at the same time.
bool is_threaded(const std::vector<PredictSubject>& subjects) { return subjects.size() > 1 && !subjects.front().pauses.empty(); }

void finish(const PredictCommand& command, std::vector<Forecast> all, const Environment& environment, bool threaded, double cpus,
            const CommonOptions& common) {
  if (threaded) {
    share_cores(all, command.libraries.threads, cpus, common);
  }
  show(command, all, environment, common);
  const auto worst = std::max_element(all.begin(), all.end(), [](const Forecast& a, const Forecast& b) {
    return a.second.extrapolated_share() < b.second.extrapolated_share();
  });
  if (worst != all.end() && worst->second.extrapolated_share() > 0.01) {
    const bool placed = prediction::parse_method(command.method) == prediction::Method::placed;
    const char* remedy = !placed ? ""
                         : command.models.empty()
                             ? "; a larger --time-budget samples more"
                             : "; predict the same trace on that machine, which samples more, and copy its store again";
    note(fmt::format("up to {} of the time lies outside of what was sampled{}", format_percent(worst->second.extrapolated_share()), remedy),
         common);
  }
}

bool reads_recording(const PredictCommand& command) { return !command.trace.empty() && interpose::is_program_trace(command.trace); }

/// The question that the options put to a recorded program.
WhatIf question_of(const PredictCommand& command) {
  WhatIf question;
  question.blas = command.libraries.blas;
  question.lapack = command.libraries.lapack;
  question.threads = command.threads_given ? std::optional<int>(command.libraries.threads) : std::nullopt;
  question.kernels = command.kernels_given ? command.libraries.kernels : "";
  question.text = question.is_same() ? "same" : "other libraries";
  question.told_by_asker = true;
  return question;
}

std::vector<PredictSubject> subjects_of(Answer& answer, const interpose::ProgramSummary& summary) {
  std::vector<PredictSubject> subjects;
  for (ThreadAnswer& thread : answer.threads) {
    PredictSubject subject;
    subject.sizes = fmt::format("{}", summary.threads[thread.thread].tid);
    subject.blocks = '-';
    subject.flops = flops(thread.trace);
    subject.trace = std::move(thread.trace);
    subject.pauses = {0};  // which makes it a thread's
    subject.by_models = thread.by_models;
    subjects.push_back(std::move(subject));
  }
  return subjects;
}

/// Where the program was recorded, with what the recording doesn't tell but the options or this machine do.
interpose::RecordedPlace complete_place(const interpose::ProgramSummary& summary, const CommonOptions& common) {
  interpose::RecordedPlace place = interpose::recorded_place(summary);
  if (const std::string assumed = interpose::assume_threads(place); !assumed.empty()) {
    note(assumed, common);
  }
  const std::optional<RecordedKernels> kernels = recorded_kernels(place, run_context(common));
  if (kernels) {
    place.kernel_settings = kernels->had_setting;
    if (kernels->misread()) {
      note(kernels->text(), common);
    }
  }
  return place;
}

/// The answer that profile --what-if gives.
void predict_recording(const PredictCommand& command, const CommonOptions& common) {
  const interpose::ProgramTraceFile file(command.trace);
  const interpose::ProgramBreakdown breakdown(file);
  tell_left_out(file, run_context(common));
  for (const std::string& remark : interpose::recording_remarks(file.summary(), breakdown)) {
    note(remark, common);
  }
  const interpose::RecordedPlace place = complete_place(file.summary(), common);
  const Seconds budget = parse_duration(command.time_budget, "--time-budget");
  std::vector<Answer> answers = answer({question_of(command)}, file, breakdown, place, "library", budget, run_context(common));
  if (!answers.front().failure.empty()) {
    throw Error(answers.front().failure_code, answers.front().failure);
  }
  note(fmt::format("predicted for {}", answers.front().place), common);
  const std::vector<PredictSubject> subjects = subjects_of(answers.front(), file.summary());
  std::vector<Forecast> forecasts;
  for (std::size_t t = 0; t < subjects.size(); ++t) {
    forecasts.emplace_back(&subjects[t], std::move(answers.front().threads[t].prediction));
  }
  finish(command, std::move(forecasts), *answers.front().environment, false, 1, common);
}

void predict_here(const PredictCommand& command, prediction::PredictOptions options, const CommonOptions& common) {
  const Workbench bench = Workbench::opened(command.libraries, run_context(common));
  const std::vector<PredictSubject> subjects =
      command.trace.empty() ? record_subjects(command.routine, command.arguments, command.libraries.threads, bench, run_context(common))
                            : read_subjects(command.trace, command.libraries.threads, run_context(common));
  const bool threaded = is_threaded(subjects);
  options.per_call = options.per_call || threaded;
  if (!command.trace.empty()) {  // which was recorded with other libraries and threads, perhaps
    note(fmt::format("predicted for {}", place_text(bench.environment())), common);
  }
  model::Store store = open_store(run_context(common));
  finish(command, predict_all(command, subjects, bench.environment(), store, &bench, options, common), bench.environment(), threaded,
         machine::usable_cpus(machine::detect_topology()), common);
}

void predict_elsewhere(const PredictCommand& command, prediction::PredictOptions options, const CommonOptions& common) {
  model::Store store = model::Store::open_copy(command.models);
  const Environment environment = sampled_environment(store, {command.libraries, command.environment});
  const std::vector<PredictSubject> subjects = read_subjects(command.trace, command.libraries.threads, run_context(common));
  if (reads_recording(command)) {
    interpose::require_thread_safe(interpose::ProgramTraceFile(command.trace), environment);
  }
  const bool threaded = is_threaded(subjects);
  options.per_call = options.per_call || threaded;
  note(fmt::format("models of {}, {}", environment.cpu, place_text(environment)), common);
  finish(command, predict_all(command, subjects, environment, store, nullptr, options, common), environment, threaded, environment.cores,
         common);
}

/// The recorded libraries, threads and kernels where the options name none.
void take_recorded(PredictCommand& command, const CommonOptions& common) {
  const interpose::ProgramTraceFile file(command.trace);
  const interpose::RecordedPlace place =
      command.models.empty() ? complete_place(file.summary(), common) : interpose::recorded_place(file.summary());
  if (!command.threads_given) {
    command.libraries.threads = place.threads.value_or(1);
  }
  if (!command.models.empty()) {
    return;
  }
  command.libraries.kernels = command.kernels_given ? command.libraries.kernels : "library";
  interpose::require_thread_safe(file, command.libraries.blas, command.libraries.lapack);
  if (command.libraries.blas.empty()) {
    constexpr int several = 2;
    command.libraries.blas = place.blas.empty() && interpose::threads_overlap(file) ? machine::default_blas(several) : place.blas;
    command.libraries.lapack = command.libraries.lapack.empty() ? place.lapack : command.libraries.lapack;
    command.libraries.kernel_settings = command.kernels_given ? KernelSettings() : place.kernel_settings;
  }
}

void run_predict(PredictCommand command, const CommonOptions& common) {
  check(command, common);
  if (reads_recording(command)) {
    const bool as_profile = command.models.empty() && command.method == "placed" && (command.start.empty() || command.start == "filled");
    if (as_profile) {
      predict_recording(command, common);
      return;
    }
    take_recorded(command, common);
  }
  prediction::PredictOptions options;
  options.method = prediction::parse_method(command.method);
  options.capacity_bytes = command.capacity.empty() ? 0 : parse_bytes(command.capacity, "--capacity");
  options.per_call = command.explain;
  command.models.empty() ? predict_here(command, options, common) : predict_elsewhere(command, options, common);
}

}  // namespace

void add_predict_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<PredictCommand>();
  OptionSet command = app.add_command("predict", "Predict the time of a LAPACK routine or a stored trace without running it");
  command.option("routine", options->routine, "LAPACK routine, such as dgeqrf");
  command.option("arguments", options->arguments, "name=value: sizes (n=200:3200), block sizes (nb=32,64, nx=0,128), flags (uplo=U)");
  command.option("--trace", options->trace, "predict this trace, of a routine or of a recorded program; - is standard input")
      .placeholder("FILE");
  command.option("--cache", options->method, "how the cache is treated (below)")
      .show_default()
      .choices({"placed", "levels", "paper", "warm", "cold"});
  command
      .option("--start", options->start,
              "what came before: filled (the caller wrote all matrices), repeated (the same run), paper (one access to as much "
              "memory) or cold; "
              "default: filled, for --cache paper paper")
      .choices({"filled", "repeated", "paper", "cold"});
  command.option("--capacity", options->capacity, "cache that --cache paper looks at, such as 2MiB; default: the largest measured one");
  command
      .option("--generator", options->generator,
              "models for all but placed: refined (adaptive refinement), levels (few points per memory level) or demand (as for placed)")
      .show_default()
      .choices({"refined", "levels", "demand"});
  command.flag("--explain", options->explain, "also show the time of every kernel and call");
  add_library_options(command, options->libraries);
  command
      .option("--models", options->models,
              "another machine's models: a copy of its flopcast.db; needs --trace, measures nothing; --blas, --lapack and --threads then "
              "are those of that machine")
      .placeholder("FILE");
  command.option("--environment", options->environment, "which environment of --models, if several fit").placeholder("FINGERPRINT");
  command.footer(footer);
  command.option("--time-budget", options->time_budget, "for sampling kernels that models on demand lack; 0s: none").show_default();
  command.action([options, command, &common] {
    options->threads_given = command.given("--threads");
    options->kernels_given = command.given("--kernels");
    run_predict(*options, common);
  });
}

}  // namespace flopcast::cli
