#include <fmt/format.h>

#include <memory>
#include <string>

#include "flopcast/cli/run/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/workbench/kernel_choice.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer = R"(The program's output and exit code are its own. Messages of flopcast go to standard error.

Examples:
  flopcast tune dgeqrf --n 200:3200 --save
  flopcast run -- octave-cli --eval 'A = rand(2000); tic; qr(A); toc'
  flopcast run --blas openblas-serial --lapack reference --report -- ./a.out
  flopcast run --threads auto -- python3 script.py)";

/// Returns the table of routines and that of problem sizes. --csv holds the first one.
std::string report_text(const RunOutcome& outcome, const CommonOptions& common) {
  const auto shown = [&](const report::Table& table) {
    return common.output != "-" ? render(table, common) : table.rows.empty() ? "" : render_note(table, common);
  };
  std::string text = shown(outcome_table(outcome));
  if (common.csv) {
    return text;
  }
  text += outcome.threads.empty() ? "" : "\n" + shown(thread_table(outcome));
  text += outcome.sizes.empty() ? "" : "\n" + shown(size_table(outcome));
  return text + (outcome.unlisted > 0 ? fmt::format("\nqueries for further problem sizes: {}\n", outcome.unlisted) : "");
}

/// Writes the report to --output. Standard output is the program's.
void write_report(const RunOutcome& outcome, const CommonOptions& common) {
  const bool to_file = common.output != "-";
  const std::string text = common.json ? to_json(outcome) + '\n' : report_text(outcome, common);
  if (to_file) {
    write_file(common.output, text);
  } else {
    tell(fmt::format("flopcast: BLAS of the program: {}{}\n",
                     outcome.blas.empty() ? outcome.ended_by.empty() ? "none seen" : "not known" : outcome.blas,
                     outcome.settings.empty() ? "" : ", with " + format_settings(outcome.settings)));
    say(text);
  }
}

void run_command(RunRequest request, CommonOptions& common) {
  if (!names_program(request.command)) {
    throw usage_error("no program to run. Give it after --, as in: flopcast run -- octave-cli");
  }
  request.explain = request.explain || common.output != "-";
  const RunOutcome outcome = run_program(request, keeping_if_possible(program_context(common)));
  common.exit_code = outcome.exit_code;
  if (request.explain && outcome.counted) {
    write_report(outcome, common);
  }
}

}  // namespace

void add_run_command(OptionSet& app, CommonOptions& common) {
  auto request = std::make_shared<RunRequest>();
  OptionSet command = app.add_command("run", "Run a program whose LAPACK uses the tuned block sizes");
  add_request(command, *request);
  command.option("command", request->command, "Program and its arguments").placeholder("-- COMMAND");
  command.footer(footer);
  command.action([request, &common] { run_command(*request, common); });
}

}  // namespace flopcast::cli
