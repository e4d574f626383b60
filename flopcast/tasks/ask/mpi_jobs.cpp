#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <array>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/ask/job.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {
namespace {

/// A program whose processes are started by `launcher`, each under the program flopcast.
struct MpiRunQuestion {
  std::vector<std::string> launcher, command;
  std::string policy{selective::to_string(MpiRunRequest().policy)};
  std::string clock = "auto";
  double tolerance = selective::Precision().tolerance, confidence = selective::Precision().confidence;
  bool across_sizes = false, windows = true, thread_multiple = true, tuned_kernels = true;
  Seconds patience = MpiRunRequest().patience;
  std::string prior_profile;
};

struct MpiTuneQuestion {
  std::string space;
  std::string policy{selective::to_string(MpiTuneRequest().policy)};
  selective::Precision precision;
  MpiTuneRequest request;
};

/// A simulation's request with the members of its machine among its own.
struct MpiSimulateQuestion {
  MpiSimulateRequest request;
};

struct MpiDescribeQuestion {
  MpiLibrary mpi = MpiLibrary::openmpi;
  std::string launcher;
};

/// Returns the words that start `flopcast mpi run` in every process; the first process writes the profile to `file`.
std::vector<std::string> words_of(const MpiRunQuestion& question, const std::string& file) {
  std::vector<std::string> words = question.launcher;
  const std::vector<std::string> own = {program::find_flopcast_program().string(),
                                        "mpi",
                                        "run",
                                        "--quiet",
                                        "--output",
                                        file,
                                        "--policy",
                                        question.policy,
                                        "--clock",
                                        question.clock,
                                        "--tolerance",
                                        fmt::format("{}", question.tolerance),
                                        "--confidence",
                                        fmt::format("{}", question.confidence),
                                        "--patience",
                                        question.patience > 0 ? fmt::format("{}s", question.patience) : "none",
                                        "--kernels",
                                        question.tuned_kernels ? "auto" : "library"};
  words.insert(words.end(), own.begin(), own.end());
  for (const auto& [given, option] : {std::pair(question.across_sizes, "--across-sizes"), std::pair(!question.windows, "--no-windows"),
                                      std::pair(!question.thread_multiple, "--no-thread-multiple")}) {
    if (given) {
      words.emplace_back(option);
    }
  }
  if (!question.prior_profile.empty()) {
    words.insert(words.end(), {"--prior-profile", question.prior_profile});
  }
  words.emplace_back("--");
  words.insert(words.end(), question.command.begin(), question.command.end());
  return words;
}

/// Launches the program and returns the profile that its first process writes.
MpiProfile run_mpi_program(const MpiRunQuestion& question, const RunContext& context) {
  for (const auto& [name, list] : {std::pair("launcher", &question.launcher), std::pair("command", &question.command)}) {
    if (list->empty()) {
      throw MemberError(name, "there are no words, expected a program and its arguments");
    }
  }
  static_cast<void>(selective::policy_named(question.policy));
  static_cast<void>(protocol::clock_named(question.clock));
  const ScratchFolder folder;
  const std::string file = folder.file("profile.json");
  std::vector<std::string> words = words_of(question, file);
  const std::filesystem::path launcher = program::find_program(words.front());
  const int code = program::run_program(launcher, std::move(words), process::current_environment(), SIGTERM);
  context.throw_if_cancelled("there is no profile of a program that was interrupted");
  if (std::error_code none; !std::filesystem::exists(file, none)) {
    throw unusable_measurement("the program left no profile: '{}' ended with exit code {}", fmt::join(question.launcher, " "), code);
  }
  return read_mpi_profile(file);
}

MpiTuneRequest request_of(const MpiTuneQuestion& question) {
  MpiTuneRequest request = question.request;
  request.space = read_mpi_space(question.space);
  request.policy = selective::policy_named(question.policy);
  request.precision = question.precision;
  return request;
}

}  // namespace

template <>
struct EnumNames<MpiSelfCheck> {
  static constexpr std::array names{std::pair{MpiSelfCheck::none, "none"}, std::pair{MpiSelfCheck::once, "once"},
                                    std::pair{MpiSelfCheck::one, "one"}, std::pair{MpiSelfCheck::all, "all"}};
};
template <>
struct EnumNames<MpiLibrary> {
  static constexpr std::array names{std::pair{MpiLibrary::openmpi, "openmpi"}, std::pair{MpiLibrary::mpich, "mpich"}};
};

template <>
struct FieldTable<selective::Precision> {
  using T = selective::Precision;
  static constexpr auto fields =
      std::tuple(within(bounds::fraction,
                        optional_field("tolerance", &T::tolerance, "relative half-width of the interval from which on a time is known")),
                 within(bounds::fraction, optional_field("confidence", &T::confidence, "confidence of the interval, 0 to 1")),
                 within(bounds::between(1, 1e9),
                        optional_field("min_count", &T::min_count, "executions of a kernel that make its time known, at least")));
};
template <>
struct FieldTable<MpiRunQuestion> {
  using T = MpiRunQuestion;
  static constexpr auto fields = std::tuple(
      within(bounds::command, field("launcher", &T::launcher, "command that starts the processes: [\"mpirun\", \"-n\", \"4\"]")),
      within(bounds::command, field("command", &T::command, "program and its arguments")),
      optional_field("policy", &T::policy, "kernels that are executed: full, conditional, local, online, a-priori or eager"),
      optional_field("clock", &T::clock, "clock of the path: auto, wall or cpu"),
      within(bounds::fraction,
             optional_field("tolerance", &T::tolerance, "relative half-width of the interval from which on a time is known")),
      within(bounds::fraction, optional_field("confidence", &T::confidence, "confidence of the interval, 0.5 to 0.9999")),
      optional_field("across_sizes", &T::across_sizes, "predict kernels of sizes never executed from other sizes"),
      optional_field("windows", &T::windows, "execute segments as a whole"),
      optional_field("thread_multiple", &T::thread_multiple, "let the program have MPI_THREAD_MULTIPLE"),
      optional_field("tuned_kernels", &T::tuned_kernels, "use the kernels of BLAS that were found best"),
      within(bounds::seconds,
             optional_field("patience", &T::patience, "seconds without a new kernel after which the program is stopped; 0: for ever")),
      within(bounds::path_or_nothing,
             optional_field("prior_profile", &T::prior_profile, "file with a profile whose kernel times are used; empty: none")));
};
template <>
struct FieldTable<MpiTuneRequest> {
  using T = MpiTuneRequest;
  static constexpr auto fields = std::tuple(
      optional_field("self_check", &T::self_check, "configurations whose MPI calls are compared with a full execution's"),
      within(bounds::path_or_nothing,
             optional_field("prior_profile", &T::prior_profile, "file with a profile whose kernel times are used; empty: none")),
      within(bounds::seconds,
             optional_field("patience", &T::patience, "seconds without a new kernel after which a program is stopped; 0: for ever")),
      optional_field("tuned_kernels", &T::tuned_kernels, "use the kernels of BLAS that were found best"),
      within(bounds::fraction, optional_field("min_coverage", &T::min_coverage, "share of the path that must lie in kernels, 0 to 1")),
      within(bounds::between(0, 1e5), optional_field("confirm", &T::confirm, "configurations that are executed in full at the end")),
      optional_field("confirm_ties", &T::confirm_ties, "confirm the configurations that tie with the best one"),
      optional_field("across_sizes", &T::across_sizes, "predict kernels of sizes never executed from other sizes"),
      optional_field("windows", &T::windows, "execute segments as a whole"),
      optional_field("thread_multiple", &T::thread_multiple, "let the program have MPI_THREAD_MULTIPLE"),
      optional_field("validate", &T::validate, "execute each configuration in full as well, before"),
      optional_field("fresh", &T::fresh, "use no kernel times and no self-checks of the store"));
};
template <>
struct FieldTable<MpiTuneQuestion> {
  using T = MpiTuneQuestion;
  static constexpr auto fields = std::tuple(within(bounds::path, field("space", &T::space, "file of the space (flopcast-mpi-space-1)")),
                                            optional_field("policy", &T::policy, "full, conditional, local, online, a-priori or eager"),
                                            inlined_field(&T::precision), inlined_field(&T::request));
};
template <>
struct FieldTable<MpiMachineChoice> {
  using T = MpiMachineChoice;
  static constexpr auto fields = std::tuple(
      within(bounds::path_or_nothing, optional_field("machine", &T::machine, "file with a description (flopcast-machine-description-1)")),
      within(bounds::path_or_nothing, optional_field("platform", &T::platform, "file in SimGrid's own format")),
      optional_field("latency", &T::latency, "seconds of a message between hosts"),
      optional_field("bandwidth", &T::bandwidth, "bytes per second between hosts"),
      within(bounds::between(0, 4096),
             optional_field("cores_per_node", &T::cores_per_node, "cores of a host; 0: as the machine is described")));
};
template <>
struct FieldTable<MpiSimulateRequest> {
  using T = MpiSimulateRequest;
  static constexpr auto fields = std::tuple(
      within(bounds::command, field("command", &T::command, "program, built for SMPI, and its arguments")),
      within(bounds::process_counts, field("ranks", &T::ranks, "numbers of processes, each simulated by itself")),
      inlined_field(&T::machine),
      within(bounds::seconds, optional_field("time_budget", &T::time_budget, "seconds for measuring kernels, per number of processes")),
      optional_field("tuned_kernels", &T::tuned_kernels, "use the kernels of BLAS that were found best"),
      optional_field("only_kernels", &T::only_kernels, "the program's own code takes no time"));
};
template <>
struct FieldTable<MpiSimulateQuestion> {
  static constexpr auto fields = std::tuple(inlined_field(&MpiSimulateQuestion::request));
};
template <>
struct FieldTable<MpiDescribeQuestion> {
  static constexpr auto fields =
      std::tuple(optional_field("mpi", &MpiDescribeQuestion::mpi, "MPI whose messages are measured"),
                 optional_field("launcher", &MpiDescribeQuestion::launcher, "command that starts MPI programs; empty: the MPI's mpirun"));
};

std::vector<Job> mpi_jobs() {
  return {
      job<MpiRunQuestion>(
          "mpi_run", "Launch an MPI program and find its critical path", "flopcast-mpi-profile-1", DoneIn::with_program,
          [](const Workbench&, const MpiRunQuestion& question, const RunContext& context) { return run_mpi_program(question, context); }),
      job<MpiTuneQuestion>("mpi_tune", "Predict every configuration of an MPI program by selective execution", "flopcast-mpi-tuning-1",
                           DoneIn::own_process,
                           [](const Workbench& bench, const MpiTuneQuestion& question, const RunContext& context) {
                             return tune_mpi(bench, request_of(question), context);
                           }),
      job<MpiSimulateQuestion>("mpi_simulate", "Predict an MPI program on a machine that isn't there, with SimGrid",
                               "flopcast-mpi-simulation-1", DoneIn::own_process,
                               [](const Workbench& bench, const MpiSimulateQuestion& question, const RunContext& context) {
                                 return simulate_mpi(bench, question.request, context);
                               }),
      job<MpiDescribeQuestion>("mpi_describe", "Measure messages between two processes of this machine", "flopcast-machine-description-1",
                               DoneIn::own_process,
                               [](const Workbench& bench, const MpiDescribeQuestion& question, const RunContext& context) {
                                 return describe_mpi_machine(bench, {question.mpi, question.launcher}, context);
                               }),
  };
}

}  // namespace flopcast
