#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/mpi/earlier_profile.hpp"
#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/tasks/mpi/companions.hpp"
#include "flopcast/tasks/mpi/explain.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/run.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* run_footer =
    R"(mpirun starts flopcast, and flopcast starts the program: once per process. The program's output and exit code are its own. flopcast's
messages go to standard error, from the process of rank 0. docs/reference/columns.md explains the figures.

More:
Under any policy but full the program's results are garbage, because kernels are skipped. A program whose course depends on its results (a
residual check, a loop that ends when it has converged) fails under such a policy, or is stopped after --timeout. It needs --policy full.

Examples:
  mpirun -n 2 flopcast mpi run -- ./app
  mpirun -n 2 flopcast mpi run --output profile.json -- ./app
  flopcast mpi show profile.json
  mpirun -n 2 flopcast mpi run --clock wall --timeline trace.json -- ./app
  mpirun -n 2 flopcast mpi run --policy a-priori --prior-profile profile.json -- ./app)";

constexpr const char* show_footer = R"(--csv prints the table of all kernels alone; --json prints the whole profile.

Examples:
  flopcast mpi show profile.json
  flopcast mpi show --csv profile.json)";

struct RunOptions {
  MpiRunRequest request;
  std::string timeline;  ///< file for trace events; empty: none
  ResultFiles files;
  bool to_standard_output = false;  ///< the command line has --output -
};

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && std::filesystem::equivalent(a, b, none);
}

/// Tells why there is no profile. A program that ended well without a profile is a failure if --output asks for one, unless the program
/// uses sessions, which no option helps.
void report_missing(const MpiRunResult& result, const EarlierProfile& earlier, bool asked_for, CommonOptions& common) {
  if (result.missing_reason.empty()) {
    return;
  }
  note("flopcast: no profile: " + result.missing_reason + (earlier.exists() ? "; that of an earlier run is now in " + earlier.file() : ""),
       common);
  const bool fails = asked_for && result.exit_code == 0 && !result.uses_sessions;
  common.exit_code = fails ? static_cast<int>(ExitCode::unusable_measurement) : result.exit_code;
}

/// Writes the profile to --output, and shows it.
void report_profile(const MpiRunResult& result, const EarlierProfile& earlier, bool asked_for, const CommonOptions& common) {
  if (asked_for) {
    write_file(common.output, result.document);
    earlier.remove();
  }
  for (const std::string& warning : result.warnings) {
    note("flopcast: " + warning, common);
  }
  note_noise(common);
  if (result.profile && common.json) {
    say(result.document);
  } else if (result.profile) {
    note("flopcast: " + profile_summary(*result.profile), common);
    for (const report::Table& table : profile_tables(*result.profile)) {
      note(render_note(table, common), common);
    }
  }
}

void run_command(RunOptions& options, CommonOptions& common) {
  MpiRunRequest& request = options.request;
  if (!names_program(request.command)) {
    throw usage_error("which program is to be run? Give it after --, as in: mpirun -n 2 flopcast mpi run -- ./app");
  }
  const bool is_first = is_first_process();
  if (common.output != "-" && is_first) {  // the process that writes it
    require_writable(common.output);
  }
  request.reads_profile = !common.quiet || !options.timeline.empty();
  if (!options.timeline.empty()) {
    constexpr std::int64_t usual_events = 100'000;
    request.max_events = request.max_events > 0 ? request.max_events : usual_events;
    if (is_first) {
      require_writable(options.timeline);
    }
  }
  const bool continues = common.output != "-" && is_same_file(request.prior_profile, common.output);
  const EarlierProfile earlier(common.output, continues, is_first);
  const MpiRunResult result = run_mpi(request, run_context(common));
  common.exit_code = result.exit_code;
  if (result.profile && !options.timeline.empty()) {
    write_file(options.timeline, trace_events_of(*result.profile));
  }
  const bool asked_for = common.output != "-" || options.to_standard_output;
  result.document.empty() ? report_missing(result, earlier, asked_for, common) : report_profile(result, earlier, asked_for, common);
  if (!result.document.empty() && options.files.any()) {
    write_document_files(result.document, options.files, common);
  }
}

void show_command(const std::string& file, const ResultFiles& files, const CommonOptions& common) {
  const MpiProfile profile = read_mpi_profile(file);
  if (common.json) {
    emit(to_json(profile), common);
  } else if (common.csv) {
    emit(profile_kernel_table(profile, profile.kernels.size()), common);
  } else {
    std::string text = profile_summary(profile) + '\n';
    for (const std::string& warning : warnings_about(profile)) {
      text += warning + '\n';
    }
    const std::vector<report::Table> tables = profile_tables(profile, profile.kernels.size());
    for (const report::Table& table : tables) {
      text += (&table == &tables.front() ? "" : "\n") + render(table, common);
    }
    if (const std::string reason = noise_of(profile); !reason.empty()) {
      common.noise->tell(std::string(noisy_machine) + reason);
    }
    emit_wrapped(text, common);
  }
  write_result_files(profile, files, common);
}

}  // namespace

void add_mpi_run_command(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<RunOptions>();
  MpiRunRequest& request = options->request;
  OptionSet command = mpi.add_command("run", "Run a process of an MPI program and find the program's critical path");
  add_request(command, request);
  command.option("--timeline", options->timeline, "File for kernels and calls of MPI with their times, for Perfetto and chrome://tracing")
      .placeholder("FILE");
  command.option("--executions", request.executions).hidden();  // between flopcast and its mpi tune
  command.option("--results", request.results).hidden();
  command.option("command", request.command, "Program and its arguments").placeholder("-- COMMAND");
  add_result_files(command, options->files);
  command.footer(run_footer);
  command.action([options, command, &common] {
    options->to_standard_output = common.output == "-" && command.given("--output");
    try {
      run_command(*options, common);
    } catch (const Error& error) {
      end_job_at_exit(static_cast<int>(error.code()));
      throw;
    }
  });
}

void add_mpi_show_command(OptionSet& mpi, CommonOptions& common) {
  auto file = std::make_shared<std::string>();
  auto files = std::make_shared<ResultFiles>();
  OptionSet command = mpi.add_command("show", "Show a profile that 'flopcast mpi run --output' has written");
  command.option("profile", *file, "File of the profile").required().placeholder("FILE");
  add_result_files(command, *files);
  command.footer(show_footer);
  command.action([file, files, &common] { show_command(*file, *files, common); });
}

}  // namespace flopcast::cli
