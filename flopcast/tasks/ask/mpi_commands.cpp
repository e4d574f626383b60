#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include "flopcast/program/launch.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/mpi/launch.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {
namespace {

/// Returns the words that start `flopcast mpi run` in every process; the first process writes the profile to `file`.
std::vector<std::string> words_of(const MpiLaunchRequest& request, const std::string& file) {
  std::vector<std::string> words = request.launcher;
  const std::vector<std::string> run = words_of_run(request.run);
  words.insert(words.end(), run.begin(), run.end());
  words.insert(words.end(), {"--output", file});
  words.emplace_back("--");
  words.insert(words.end(), request.run.command.begin(), request.run.command.end());
  return words;
}

/// Launches the program and returns the profile that its first process writes.
MpiProfile launch(const MpiLaunchRequest& request, const RunContext& context) {
  const ScratchFolder folder;
  const std::string file = folder.file("profile.json");
  std::vector<std::string> words = words_of(request, file);
  const std::filesystem::path launcher = program::find_program(words.front());
  const int code = program::run_program(launcher, std::move(words), process::current_environment(), SIGTERM);
  context.throw_if_cancelled("there is no profile of a program that was interrupted");
  if (std::error_code none; !std::filesystem::exists(file, none)) {
    throw unusable_measurement("the program left no profile: '{}' ended with exit code {}", fmt::join(request.launcher, " "), code);
  }
  return read_mpi_profile(file);
}

}  // namespace

std::vector<Command> mpi_commands() {
  return {
      command<MpiLaunchRequest>(
          "mpi_run", "Launch an MPI program and find its critical path", "flopcast-mpi-profile-1", DoneIn::with_program,
          [](const Workbench&, const MpiLaunchRequest& request, const RunContext& context) { return launch(request, context); }),
      command<MpiTuneRequest>("mpi_tune", "Predict every configuration of an MPI program by selective execution", "flopcast-mpi-tuning-1",
                              DoneIn::own_process,
                              [](const Workbench& bench, const MpiTuneRequest& request, const RunContext& context) {
                                return tune_mpi(bench, request, context);
                              }),
      command<MpiAdviseRequest>("mpi_advise", "Find the fastest grid, block size and threads for a routine of ScaLAPACK",
                                "flopcast-mpi-tuning-1", DoneIn::own_process,
                                [](const Workbench& bench, const MpiAdviseRequest& request, const RunContext& context) {
                                  return advise_mpi(bench, request, context);
                                }),
      command<MpiSimulateRequest>("mpi_simulate", "Predict an MPI program on a hypothetical machine, with SimGrid",
                                  "flopcast-mpi-simulation-1", DoneIn::own_process,
                                  [](const Workbench& bench, const MpiSimulateRequest& request, const RunContext& context) {
                                    return simulate_mpi(bench, request, context);
                                  }),
      command<MpiDescribeRequest>("mpi_describe", "Measure messages between two processes of this machine",
                                  "flopcast-machine-description-1", DoneIn::own_process,
                                  [](const Workbench& bench, const MpiDescribeRequest& request, const RunContext& context) {
                                    return describe_mpi_machine(bench, request, context);
                                  }),
  };
}

}  // namespace flopcast
