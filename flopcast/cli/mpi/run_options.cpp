#include "flopcast/cli/mpi/options.hpp"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/mpi/machine_options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/companions.hpp"
#include "flopcast/tasks/mpi/program_kernels.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "flopcast/tasks/mpi/run.hpp"

namespace flopcast::cli {
namespace {

using interpose::MpiOptions;
using interpose::MpiRun;
namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* run_footer =
    R"(mpirun starts flopcast, and flopcast starts the program: once per process. The program's output and exit code are its own; what flopcast has
to say goes to standard error, from the process of rank 0. docs/mpi.md says what the figures are.

Under any policy but full the program's results are garbage, as kernels are left out. A program that goes by its results (a residual check,
a loop that ends when it has converged) fails under such a policy, or is stopped after --patience. It needs --policy full.

Examples:
  mpirun -n 2 flopcast mpi run -- ./app
  mpirun -n 2 flopcast mpi run --output profile.json -- ./app
  flopcast mpi show profile.json
  mpirun -n 2 flopcast mpi run --policy a-priori --statistics profile.json -- ./app)";

constexpr const char* show_footer = R"(--csv prints the table of all kernels alone; --json prints the whole profile.

Examples:
  flopcast mpi show profile.json
  flopcast mpi show --csv profile.json)";

struct RunOptions {
  std::string mpi, clock = "auto", policy = "full", statistics;
  path::Precision precision;
  bool across_sizes = false;
  bool no_windows = false;
  bool no_thread_multiple = false;
  std::string kernels = "auto";
  std::string patience = default_patience;
  std::string executions, results;  ///< what mpi tune asks for
  bool to_standard_output = false;  ///< --output -, said and not only left so
  std::vector<std::string> command;
};

/// Refuses what isn't greater than `above`, or `above` itself where that isn't 0, and at most `most`: not-a-number too.
std::function<std::string(const std::string&)> number_between(double above, double most, const char* expected) {
  return [=](const std::string& text) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const bool good = whole && (above > 0 ? value >= above : value > above) && value <= most;
    return good ? "" : fmt::format("'{}' given, expected {}", text, expected);
  };
}

/// The program's costs: along the critical path, the longest path by each metric itself, the process with the most, the average of all
/// processes.
report::Table cost_table(const json& profile) {
  report::Table table;
  table.columns = {{"", report::Align::left, "scope"},
                   {"time", report::Align::right, "seconds"},
                   {"computation", report::Align::right, "computation_seconds"},
                   {"communication", report::Align::right, "communication_seconds"},
                   {"idle", report::Align::right, "idle_seconds"},
                   {"supersteps"},
                   {"words"},
                   {"flops"}};
  for (const auto& [name, title] : {std::pair("path", "critical path"), std::pair("longest", "longest path of each"),
                                    std::pair("per_process", "most of a process"), std::pair("volumetric", "mean of processes")}) {
    const json& costs = profile.at(name);
    table.rows.push_back({title, seconds_cell(number(costs, "seconds")), seconds_cell(number(costs, "computation_seconds")),
                          seconds_cell(number(costs, "communication_seconds")), seconds_cell(number(costs, "idle_seconds")),
                          report::Cell(number(costs, "supersteps"), fmt::format("{:.10g}", number(costs, "supersteps"))),
                          report::Cell(number(costs, "words"), fmt::format("{:.4g}", number(costs, "words"))),
                          report::Cell(number(costs, "flops"), fmt::format("{:.4g}", number(costs, "flops")))});
  }
  return table;
}

constexpr std::size_t max_processes_shown = 16;

/// Those of a profile's processes that are shown: all, or of many those that compute most and those that compute least.
std::vector<json> shown_processes(const json& profile) {
  std::vector<json> all = member_or(profile, "processes", std::vector<json>());
  if (all.size() > max_processes_shown) {
    const auto computes_more = [](const json& a, const json& b) {
      return number(a, "computation_seconds") > number(b, "computation_seconds");
    };
    std::stable_sort(all.begin(), all.end(), computes_more);
    all.erase(all.begin() + max_processes_shown / 2, all.end() - max_processes_shown / 2);
  }
  return all;
}

/// What each process did itself: who computes while others wait is the slow one.
report::Table process_table(const json& profile) {
  report::Table table;
  table.columns = {{"process", report::Align::left, "rank"},
                   {"host", report::Align::left},
                   {"computation", report::Align::right, "computation_seconds"},
                   {"communication", report::Align::right, "communication_seconds"},
                   {"waiting", report::Align::right, "idle_seconds"},
                   {"% waiting", report::Align::right, "percent_waiting"},
                   {"kernels on path", report::Align::right, "on_path_seconds"}};
  for (const json& process : shown_processes(profile)) {
    table.rows.push_back({report::whole(member<std::int64_t>(process, "rank")), member<std::string>(process, "host"),
                          seconds_cell(number(process, "computation_seconds")), seconds_cell(number(process, "communication_seconds")),
                          seconds_cell(number(process, "idle_seconds")),
                          percent(number(process, "idle_seconds"), number(process, "seconds")),
                          seconds_cell(number(process, "on_path_seconds"))});
  }
  return table;
}

/// The process that computes most, where that is more than the others do.
std::string slowest_process(const json& profile) {
  const std::vector<json> all = member_or(profile, "processes", std::vector<json>());
  const Seconds mean = number(profile.at("volumetric"), "computation_seconds");
  if (all.size() < 2 || mean <= 0) {
    return "";
  }
  const auto computation = [](const json& process) { return number(process, "computation_seconds"); };
  constexpr double about_as_much = 1.05;  // times the mean
  const json& slowest =
      *std::max_element(all.begin(), all.end(), [&](const json& a, const json& b) { return computation(a) < computation(b); });
  if (computation(slowest) < about_as_much * mean) {
    return "";
  }
  return fmt::format("; process {} computes most: {}, {:.2f} times the mean", member<int>(slowest, "rank"),
                     format_seconds(computation(slowest)), computation(slowest) / mean);
}

/// The kernels, those that take most of the critical path first.
report::Table kernel_table(const json& profile, std::size_t most) {
  report::Table table;
  table.columns = {{"kernel", report::Align::left},
                   {"on path"},
                   {"time", report::Align::right, "seconds"},
                   {"% of path", report::Align::right, "percent_of_path"},
                   {"mean", report::Align::right, "mean_seconds"},
                   {"deviation", report::Align::right, "standard_deviation_seconds"},
                   {"executed"},
                   {"skipped"}};
  const Seconds path = number(profile.at("path"), "seconds");
  for (const json& kernel : kernels_by_time(profile, most)) {
    const json& along = kernel.at("along");
    table.rows.push_back(
        {member<std::string>(kernel, "kernel"), report::whole(member<std::int64_t>(along, "count")), seconds_cell(number(along, "seconds")),
         percent(number(along, "seconds"), path), seconds_cell(number(along, "mean")), seconds_cell(std::sqrt(number(along, "variance"))),
         report::whole(member<std::int64_t>(kernel.at("executed"), "count")), report::whole(member<std::int64_t>(kernel, "skipped"))});
  }
  return table;
}

/// The clock and why it was chosen.
std::string clock_text(const json& profile) {
  if (profile.at("clock") != "cpu") {
    return "wall time";
  }
  const double granted = member_or(profile, "granted_cpus", 0.0);
  return fmt::format("CPU time and modelled messages ({})", granted > 0
                                                                ? fmt::format("a control group grants its processes {:.1f} CPUs", granted)
                                                                : "more processes than cores, or asked for");
}

std::string overview(const json& profile) {
  return fmt::format("{}, {}, {}; critical path {} of {} elapsed, {:.1f} % of it in kernels; messages: {} + {}",
                     processes(member<int>(profile, "ranks")), member<std::string>(profile, "mpi"), clock_text(profile),
                     format_seconds(number(profile.at("path"), "seconds")), format_seconds(number(profile, "elapsed_seconds")),
                     100 * mpi_coverage(profile), format_seconds(number(profile.at("message_model"), "latency_seconds")),
                     format_bandwidth(number(profile.at("message_model"), "bytes_per_second")));
}

/// What flopcast itself has sent; nothing where the profile doesn't say.
std::string own_messages(const json& profile) {
  const auto found = profile.find("own_messages");
  return found == profile.end()
             ? ""
             : fmt::format("; of flopcast's own {:.0f} messages, {}, at most {:.0f} bytes each", number(*found, "messages"),
                           format_bytes(number(*found, "bytes")), number(*found, "largest_bytes"));
}

/// Why there is no profile, or why not all of it can be trusted.
std::vector<std::string> complaints(const MpiRun& run, const json& profile, const RunOptions& options) {
  if (!run.profile.empty()) {
    std::vector<std::string> all;
    if (!profile.at("path_complete")) {
      all.emplace_back("a process had more events than are kept: the kernels along the path are not all of them");
    }
    if (const int spawned = member_or(profile, "spawned_processes", 0); spawned > 0) {
      all.push_back(fmt::format("the program spawned {}. Spawned processes aren't followed: what it waits for them counts as computation",
                                processes(spawned)));
    }
    if (member_or(profile, "sessions", false)) {
      all.emplace_back("the program uses sessions (MPI_Session_init) beside MPI_Init. Sessions aren't followed");
    }
    return all;
  }
  if (run.stage == interpose::mpi_stage_sessions) {
    return {"no profile: the program uses sessions (MPI_Session_init) in place of MPI_Init. Sessions aren't followed"};
  }
  if (run.stage == interpose::mpi_stage_multiple) {
    return {std::string("no profile: the program has MPI_THREAD_MULTIPLE, whose threads flopcast doesn't follow; ") +
            (options.no_thread_multiple
                 ? "MPI gave it more than was asked for (does the environment set OMPI_MPI_THREAD_LEVEL or MPIR_CVAR_DEFAULT_THREAD_LEVEL?)"
                 : "if less does for it, try --no-thread-multiple")};
  }
  if (run.stage == interpose::mpi_stage_initialised) {
    return {"no profile: not all processes reached MPI_Finalize"};
  }
  if (run.stage == interpose::mpi_stage_writing) {
    return {"no profile: the process of rank 0 ended before all of it was written"};
  }
  if (run.stage == interpose::mpi_stage_loaded) {
    return {"no profile: the program never called MPI_Init"};
  }
  const std::string reason = interpose::why_not_started(options.command.front(), run.exit_code);
  return {"no profile: " + (!reason.empty() ? reason : "the library was not loaded; did the program clear its environment?")};
}

/// What an earlier run has left in the profile's file. It goes out of the way before the program starts, so that it can't be taken for this
/// run's, however that ends; and away for good when there is a new one. Where all processes read it, as the run goes on with what it knows, it
/// stays in its place.
class EarlierProfile {
 public:
  EarlierProfile(const std::string& file, bool is_read) : aside_(file + ".before") {
    std::error_code error;
    if (file == "-" || is_read || !interpose::is_first_process() || !fs::is_regular_file(file, error)) {
      return;
    }
    fs::rename(file, aside_, error);
    if (error) {
      throw environment_error("can't move the earlier {} aside to {}: {}", file, aside_, error.message());
    }
    exists_ = true;
  }
  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] const std::string& file() const noexcept { return aside_; }
  void remove() const noexcept {
    std::error_code none;
    if (exists_) {
      fs::remove(aside_, none);
    }
  }

 private:
  std::string aside_;
  bool exists_ = false;
};

constexpr std::size_t max_kernels_shown = 20;

void tell(const json& profile, const CommonOptions& common) {
  note("flopcast: " + overview(profile) + slowest_process(profile) + own_messages(profile), common);
  note(render(cost_table(profile), common), common);
  if (profile.contains("processes")) {
    note(render(process_table(profile), common), common);
  }
  note(render(kernel_table(profile, max_kernels_shown), common), common);
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return !a.empty() && fs::equivalent(a, b, none);
}

bool leaves_kernels_out(const RunOptions& options) {
  return path::policy_named(options.policy) != path::Policy::full || !options.executions.empty();
}

/// By the user, or by mpirun, which ends all processes where one has failed.
bool was_asked_to_end(int exit_code) {
  constexpr int by_signal = 128;
  return exit_code == by_signal + SIGTERM || exit_code == by_signal + SIGKILL || exit_code == by_signal + SIGINT;
}

/// What the user is to know of the program's end where kernels were left out.
void tell_of_results(const MpiRun& run, const RunOptions& options, CommonOptions& common) {
  if (!leaves_kernels_out(options)) {
    return;
  }
  if (run.stood_still) {
    note(fmt::format(
             "flopcast: the program was stopped: it met no new kernel for {} (--patience), or called nothing for five times as long, while "
             "kernels were left out (--policy {}). A program that goes by its results, such as a loop that ends when it has converged, "
             "never ends so. Run it with "
             "--policy full; if it needs more time, give it with --patience",
             options.patience, options.policy),
         common);
    common.exit_code = static_cast<int>(ExitCode::unusable_measurement);
  } else if (run.exit_code != 0 && !was_asked_to_end(run.exit_code)) {
    note(fmt::format("flopcast: the program ended with exit code {} while kernels were left out (--policy {}): its results were garbage, "
                     "which a program that goes by them may not bear. Run it with --policy full",
                     run.exit_code, options.policy),
         common);
  } else if (run.first) {
    note(fmt::format("flopcast: the program's results are garbage, as kernels were left out (--policy {}); its times are what counts",
                     options.policy),
         common);
  }
}

/// A program that has ended well without a profile is a failure where one was asked for by name.
void tell_of_none(const MpiRun& run, const EarlierProfile& earlier, const RunOptions& options, CommonOptions& common) {
  if (!run.first || run.stood_still || run.stage == interpose::mpi_stage_other) {
    return;
  }
  for (const std::string& complaint : complaints(run, {}, options)) {
    note("flopcast: " + complaint + (earlier.exists() ? "; that of an earlier run is now in " + earlier.file() : ""), common);
  }
  const bool asked_for = common.output != "-" || options.to_standard_output;
  common.exit_code = asked_for && run.exit_code == 0 ? static_cast<int>(ExitCode::unusable_measurement) : run.exit_code;
}

CommonOptions quietly(CommonOptions common) {
  common.quiet = true;
  return common;
}

/// What the library in the program is told. Throws usage_error for values that aren't any, bad_input for statistics that can't be read.
MpiOptions library_options(const RunOptions& options) {
  MpiOptions mpi;
  mpi.clock = chosen_by_option("--clock", options.clock, interpose::clock_named);
  mpi.policy = chosen_by_option("--policy", options.policy, path::policy_named);
  mpi.precision = options.precision;
  mpi.across_sizes = options.across_sizes;
  mpi.windows = !options.no_windows;
  mpi.thread_multiple = !options.no_thread_multiple;
  if (!options.statistics.empty()) {
    in_document(options.statistics, [&] { MpiKnownKernels().add(read_document(options.statistics, mpi_profile_schema)); });
    mpi.statistics = options.statistics;
  }
  mpi.executions = options.executions;
  mpi.results = options.results;
  return mpi;
}

/// What the user is to know before the program starts.
void tell_of_policy(const RunOptions& options, const CommonOptions& common) {
  const bool counts_are_missing = options.statistics.empty() && options.executions.empty();
  if (path::policy_named(options.policy) == path::Policy::a_priori && counts_are_missing) {
    note(
        "flopcast: policy a-priori goes by the counts of an earlier profile (--statistics FILE); without one it does what conditional does",
        common);
  }
  if (leaves_kernels_out(options)) {
    note(results_warning(options.policy), common);
  }
}

/// Keeps the profile where it was asked for, and shows it.
void tell_of_profile(const MpiRun& run, const EarlierProfile& earlier, const RunOptions& options, const CommonOptions& common) {
  if (common.output != "-" || options.to_standard_output) {
    write_file(common.output, run.profile);
    earlier.remove();
  }
  if (common.quiet) {
    return;
  }
  const json profile = json::parse(run.profile);
  for (const std::string& complaint : complaints(run, profile, options)) {
    note("flopcast: " + complaint, common);
  }
  common.json ? say(run.profile) : tell(profile, common);
}

void run_command(const RunOptions& options, CommonOptions& common) {
  if (options.command.empty()) {
    throw usage_error("which program is to be run? Give it after --, as in: mpirun -n 2 flopcast mpi run -- ./app");
  }
  if (!options.mpi.empty() && options.mpi != "openmpi" && options.mpi != "mpich") {
    throw usage_error("--mpi must be openmpi or mpich, not '{}'", options.mpi);
  }
  const bool is_first = interpose::is_first_process();
  if (common.output != "-" && is_first) {  // which writes it; another's look at it would be in its way
    require_writable(common.output);
  }
  const MpiOptions mpi = library_options(options);
  const Seconds patience = parse_patience(options.patience);
  const bool continues = common.output != "-" && is_same_file(options.statistics, common.output);
  const EarlierProfile earlier(common.output, continues);
  const CommonOptions first_says = is_first ? common : quietly(common);
  tell_of_policy(options, first_says);
  set_kernels_of(options.command.front(), options.kernels, run_context(first_says));
  const MpiRun run = run_mpi_program(options.command, options.mpi, mpi, patience);
  common.exit_code = run.exit_code;
  tell_of_results(run, options, common);
  run.profile.empty() ? tell_of_none(run, earlier, options, common) : tell_of_profile(run, earlier, options, common);
}

void show_command(const std::string& file, const CommonOptions& common) {
  const json profile = read_document(file, mpi_profile_schema);
  try {
    if (common.json) {
      emit(profile, common);
    } else if (common.csv) {
      emit(kernel_table(profile, profile.at("kernels").size()), common);
    } else {
      emit(overview(profile) + slowest_process(profile) + own_messages(profile) + '\n' + render(cost_table(profile), common) + '\n' +
               (profile.contains("processes") ? render(process_table(profile), common) + '\n' : "") +
               render(kernel_table(profile, profile.at("kernels").size()), common),
           common);
    }
  } catch (const json::exception& error) {
    throw bad_input("{} is no complete profile of an MPI program: {}", file, reason(error));
  }
}

void add_run(OptionSet& mpi, CommonOptions& common) {
  auto options = std::make_shared<RunOptions>();
  OptionSet command = mpi.add_command("run", "Run a process of an MPI program and find the program's critical path");
  command.option("--mpi", options->mpi, "openmpi or mpich (default: what the program is linked with, else who started it)");
  command.option("--clock", options->clock,
                 "wall, cpu (CPU time and modelled messages), or auto: cpu where processes outnumber cores (default: auto)");
  command.option("--policy", options->policy,
                 "Which kernels are executed: full (all), or only those whose time isn't known yet, which makes the program's results "
                 "garbage: conditional, local, online, a-priori, eager (default: full)");
  command.flag("--across-sizes", options->across_sizes,
               "Predict kernels of sizes never seen from other sizes instead of executing them, unless policy is full");
  command.flag("--no-windows", options->no_windows,
               "Never execute stretches as a whole: kernels are then timed among skipped ones (as Critter does)");
  add_thread_option(command, options->no_thread_multiple);
  add_patience_option(command, options->patience);
  add_mpi_kernels_option(command, options->kernels);
  add_precision_options(command, options->precision);
  command.option("--statistics", options->statistics, "Profile of an earlier run: what it knows of kernels needs fewer executions")
      .placeholder("FILE");
  command.option("--executions", options->executions).hidden();  // between us and mpi tune
  command.option("--results", options->results).hidden();
  command.option("command", options->command, "Program and its arguments").placeholder("-- COMMAND");
  command.footer(run_footer);
  command.action([options, command, &common] {
    options->to_standard_output = common.output == "-" && command.given("--output");
    try {
      run_command(*options, common);
    } catch (const Error& error) {
      interpose::end_job_at_exit(static_cast<int>(error.code()));
      throw;
    }
  });
}

void add_show(OptionSet& mpi, CommonOptions& common) {
  auto file = std::make_shared<std::string>();
  OptionSet command = mpi.add_command("show", "Show a profile that 'flopcast mpi run --output' has written");
  command.option("profile", *file, "The profile's file").required().placeholder("FILE");
  command.footer(show_footer);
  command.action([file, &common] { show_command(*file, common); });
}

}  // namespace

void add_precision_options(OptionSet& command, path::Precision& precision) {
  command.option("--tolerance", precision.tolerance, "Relative half-width of the interval at which a time is known (default: 0.1)")
      .placeholder("NUMBER")
      .check(number_between(0, std::numeric_limits<double>::max(), "a number greater than 0"));
  command.option("--confidence", precision.confidence, "Confidence level of that interval, 0.5 to 0.9999 (default: 0.95)")
      .placeholder("NUMBER")
      .check(number_between(0.5, 0.9999, "a number from 0.5 to 0.9999"));
}

void add_thread_option(OptionSet& command, bool& no_thread_multiple) {
  command.flag("--no-thread-multiple", no_thread_multiple,
               "Tell a program that asks for MPI_THREAD_MULTIPLE, which can't be followed, that MPI offers MPI_THREAD_SERIALIZED");
}

void add_patience_option(OptionSet& command, std::string& patience) {
  command
      .option(
          "--patience", patience,
          "With kernels left out: how long the program may call kernels and meet no new one before it is stopped, as one that goes by its "
          "results and never ends. It may call nothing for five times as long. none: for ever (default: 60s)")
      .placeholder("DURATION|none");
}

std::string results_warning(const std::string& policy) {
  return fmt::format(
      "flopcast: --policy {} leaves kernels out whose time is known: the program's results will be garbage. A program that goes by its "
      "results (a residual check, a loop that ends when it has converged) needs --policy full",
      policy);
}

void add_mpi_command(OptionSet& app, CommonOptions& common) {
  OptionSet mpi = app.add_command("mpi", "Critical paths of MPI programs, and tuning by them");
  mpi.require_command();
  mpi.footer("Example:\n  mpirun -n 2 flopcast mpi run -- ./app");
  add_run(mpi, common);
  add_show(mpi, common);
  add_mpi_tune_command(mpi, common);
  add_mpi_simulate_command(mpi, common);
  add_mpi_describe_command(mpi, common);
}

}  // namespace flopcast::cli
