#include <memory>
#include <string>

#include "flopcast/cli/record/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/programs.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The program's output and exit code are its own; with --skip-kernels it is 1 where the recording can't be trusted. Messages of
flopcast go to standard error. docs/reference/programs.md says what is seen and what isn't.

Examples:
  flopcast record -- octave-cli --eval 'A = rand(400); A \ A; svd(A);'
  flopcast record --output qr.trace --threads 1 -- octave-cli --eval 'qr(rand(400));'
  flopcast record --show qr.trace
  flopcast record --show qr.trace --every-call --json)";

struct RecordWords {
  RecordRequest request;
  RecordingRequest show;
};

void note_warnings(const Recording& recording, const RunContext& context) {
  for (const auto* warnings : {&recording.faults, &recording.remarks}) {
    for (const std::string& warning : *warnings) {
      context.note(warning);
    }
  }
}

void record(RecordRequest request, CommonOptions& common) {
  const RunContext context = program_context(common);
  if (common.output != "-") {
    request.output = common.output;
  }
  const Recording recording = record_program(request, context);
  common.exit_code = recording.exit_code;
  if (common.json) {
    say(to_json(recording) + '\n');
  } else {
    context.note(overview(recording));
  }
  note_warnings(recording, context);
  if (request.skip_kernels && recording.blind > 0 && common.exit_code == 0) {
    common.exit_code = static_cast<int>(ExitCode::check_failed);
  }
}

void show(const RecordWords& options, const CommonOptions& common) {
  const Recording recording = read_recording(options.show.file, options.show.events);
  const RunContext context = program_context(common);
  if (common.json) {
    emit_document(recording, common);
  } else {
    emit(options.show.events ? call_table(recording) : routine_table(recording), common);
    context.note(overview(recording));
  }
  note_warnings(recording, context);
}

void record_command(const RecordWords& options, const OptionSet& command, CommonOptions& common) {
  const RecordRequest& request = options.request;
  if (!options.show.file.empty()) {
    if (!request.command.empty()) {
      throw usage_error("--show looks at a recording; it takes no command");
    }
    const auto given = [&](const char* name) { return command.given(name); };
    if (given("--skip-kernels") || given("--threads") || given("--blas") || given("--lapack")) {
      throw usage_error("--skip-kernels, --threads, --blas and --lapack say how a program is recorded; --show takes none of them");
    }
    show(options, common);
    return;
  }
  if (!names_program(request.command)) {
    throw usage_error("no program to record. Give it after --, as in: flopcast record -- octave-cli");
  }
  if (options.show.events || common.csv) {
    throw usage_error("{} says how a recording is shown: it needs --show FILE", options.show.events ? "--every-call" : "--csv");
  }
  record(request, common);
}

}  // namespace

void add_record_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RecordWords>();
  OptionSet command = app.add_command("record", "Record the BLAS and LAPACK calls of a program, in flopcast.trace");
  add_request(command, options->request);
  command.option("--show", options->show.file, "Show what is in a recording instead (with --json, --csv, --output)").placeholder("FILE");
  add_request(command, options->show);
  command.option("command", options->request.command, "Program and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([options, command, &common] { record_command(*options, command, common); });
}

}  // namespace flopcast::cli
