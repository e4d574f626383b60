#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/predict/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/predict.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(How --cache-model treats the cache:
  placed  every operand in its own level (models on demand: kernels are sampled where the store lacks samples)
  levels  blend of models of whole calls in each level
  paper   blend of warm and cold by smoothed access distance (Peise and Bientinesi)
  warm    everything cached
  cold    nothing cached

More:
The column memory is the peak of resident memory: operands, work space and local arrays of a routine.
For a recorded program that nothing changes, the recorded peak stands below the table.

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
  PredictTraceRequest request;
  std::string models;       ///< copy of another machine's store; empty: this machine's own
  std::string environment;  ///< fingerprint of one of its environments
  machine::LibraryChoice libraries;
  machine::LibraryChoice named;  ///< libraries that the command line names, for a recording and for another machine
  bool threads_given = false, kernels_given = false;
  ResultFiles files;
};

void check(const PredictCommand& command, const CommonOptions& common) {
  if (command.routine.empty() == command.request.trace.empty()) {
    throw usage_error("predict needs either a routine, such as dgeqrf n=1000, or --trace FILE");
  }
  if (command.request.options.with_calls && common.csv) {
    throw usage_error("--explain gives several tables, which --csv can't hold; use --json");
  }
  if (!command.models.empty() && command.request.trace.empty()) {
    throw usage_error("--models needs --trace: record the calls here, such as with 'flopcast trace {} ...', and predict that",
                      command.routine);
  }
  if (!command.environment.empty() && command.models.empty()) {
    throw usage_error("--environment says which one of --models FILE is meant; no such file is given");
  }
}

/// Returns the change that the library options make to a recorded program.
WhatIf change_of(const PredictCommand& command) {
  WhatIf change;
  change.blas = command.named.blas;
  change.lapack = command.named.lapack;
  change.threads = command.threads_given ? std::optional(command.libraries.threads) : std::nullopt;
  change.kernels = command.kernels_given ? command.libraries.kernels : "";
  return change;
}

Predictions predictions_of(const PredictCommand& command, const RunContext& context) {
  PredictTraceRequest request = command.request;
  if (!command.models.empty()) {
    const std::optional<int> threads = command.threads_given ? std::optional(command.libraries.threads) : std::nullopt;
    return predict_trace(OtherMachine{command.models, command.named, threads, command.environment}, request, context);
  }
  if (!request.trace.empty()) {
    const bool is_program = is_recording(request.trace);
    request.what_if = is_program ? change_of(command) : WhatIf();
    return predict_trace(is_program ? Workbench() : Workbench::opened(command.libraries, context), request, context);
  }
  const PredictRequest problems{parse_problems(command.routine, command.arguments), request.options};  // before anything is opened
  return predict(Workbench::opened(command.libraries, context), problems, context);
}

void show(const Predictions& predictions, const PredictCommand& command, const CommonOptions& common) {
  if (common.json) {
    emit_document(predictions, common);
    return;
  }
  if (common.csv) {
    emit(summary_table(predictions), common);
    return;
  }
  std::string text = render(summary_table(predictions), common);
  if (command.request.options.with_calls) {
    for (const Prediction& prediction : predictions.predictions) {
      text += explanation(prediction, common);
    }
  }
  emit_wrapped(text, common);
}

void run_predict(const PredictCommand& command, const CommonOptions& common) {
  check(command, common);
  const Predictions predictions = predictions_of(command, keeping_if_possible(run_context(common)));
  show(predictions, command, common);
  write_result_files(predictions, command.files, common);
}

}  // namespace

void add_predict_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<PredictCommand>();
  OptionSet command = app.add_command("predict", "Predict the time of a LAPACK routine or a trace without running it");
  command.option("routine", options->routine, "LAPACK routine, such as dgeqrf").completes(ValueKind::routine);
  command.option("arguments", options->arguments, "NAME=VALUE: sizes (n=200:3200), block sizes (nb=32,64, nx=0,128), flags (uplo=U)");
  command.option("--trace", options->request.trace, "Predict this trace, of a routine or of a recorded program; - is standard input")
      .placeholder("FILE");
  add_request(command, options->request);
  add_library_options(command, options->libraries);
  command
      .option("--models", options->models,
              "Another machine's models: a copy of its flopcast.db; needs --trace, measures nothing; --blas, --lapack and --threads then "
              "are those of that machine")
      .placeholder("FILE")
      .rare();
  command.option("--environment", options->environment, "Environment of --models, if several fit").placeholder("FINGERPRINT").rare();
  add_result_files(command, options->files);
  command.footer(footer);
  command.action([options, command, &common] {
    options->named = options->libraries;
    for (const auto& [option, name] : {std::pair("--blas", &options->named.blas), std::pair("--lapack", &options->named.lapack)}) {
      if (!command.given(option)) {
        name->clear();
      }
    }
    options->threads_given = command.given("--threads");
    options->kernels_given = command.given("--kernels");
    run_predict(*options, common);
  });
}

}  // namespace flopcast::cli
