#include <memory>

#include "flopcast/cli/doctor/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The program runs once, and the findings follow its output. After Ctrl-C the same command goes on. The exit code is 0 where there are findings, otherwise the
program's. A cause that can't be measured or predicted isn't named.

Examples:
  flopcast doctor -- octave-cli --eval 'A = rand(400); A \ A; svd(A);'
  flopcast doctor --threads 1 --keep slow.trace -- octave-cli --eval 'qr(rand(400));'
  flopcast doctor --recording slow.trace --json)";

void run_doctor(const DoctorRequest& request, const ResultFiles& files, CommonOptions& common) {
  if (request.recording.empty() && !names_program(request.command)) {
    throw usage_error("no program to run. Give it after --, as in: flopcast doctor -- octave-cli; or a recording with --recording FILE");
  }
  if (!request.recording.empty() && (!request.command.empty() || !request.keep.empty())) {
    throw usage_error("--recording reads a recording; it takes no command and no --keep");
  }
  const ProgramDiagnosis diagnosis = diagnose_program(request, keeping_if_possible(program_context(common)));
  if (diagnosis.findings.empty()) {
    common.exit_code = diagnosis.exit_code;
  }
  if (common.json) {
    emit_document(diagnosis, common);
  } else if (common.csv) {
    emit(finding_table(diagnosis), common);
  } else {
    emit_wrapped(finding_text(diagnosis), common);
  }
  write_result_files(diagnosis, files, common);
  const RunContext context = program_context(common);
  for (const std::string& warning : diagnosis.warnings) {
    context.note(warning);
  }
}

}  // namespace

void add_doctor_command(OptionSet& app, CommonOptions& common) {
  auto request = std::make_shared<DoctorRequest>();
  auto files = std::make_shared<ResultFiles>();
  OptionSet command = app.add_command("doctor", "Run a program once, and list what makes it slow and what mends that");
  add_request(command, *request);
  command.option("command", request->command, "Program and its arguments").placeholder("-- COMMAND");
  add_result_files(command, *files);
  command.footer(footer);
  command.action([request, files, &common] { run_doctor(*request, *files, common); });
}

}  // namespace flopcast::cli
