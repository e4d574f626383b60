#include "flopcast/tasks/mpi/run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "flopcast/program/launch.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/preloaded_component.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/memory_file.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/tasks/mpi/companions.hpp"
#include "flopcast/tasks/mpi/smpi_run.hpp"
#include "flopcast/tasks/mpi/stall.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using program::find_program;
using program::loaded_libraries;
using program::LoadedLibrary;
using program::PreloadedComponent;
using program::require_preloadable;
using program::run_program;
using protocol::mpi_stage_foreign;
using protocol::mpi_stage_writing;

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

/// Returns the MPI whose mpirun started this process, empty if that is unknown.
std::string launching_mpi() { return is_set("OMPI_COMM_WORLD_RANK") ? "openmpi" : is_set("PMI_RANK") || is_set("PMI_FD") ? "mpich" : ""; }

const char* name_of(const std::string& mpi) { return mpi == "mpich" ? "MPICH" : "Open MPI"; }

/// Throws environment_error if the other MPI's mpirun started this process, because each process would then be alone. Only variables that
/// mpirun itself sets reveal this, because srun starts programs of both MPIs.
void require_own_launcher(const fs::path& program, const std::string& mpi) {
  const bool by_openmpi = is_set("OMPI_COMM_WORLD_RANK");
  const bool by_mpich = is_set("MPI_LOCALNRANKS");
  if (by_openmpi != by_mpich && by_mpich != (mpi == "mpich")) {
    throw environment_error(
        "{} is linked with {}, but {}'s mpirun started it. Its processes wouldn't find each other. Start it with mpirun.{}",
        program.string(), name_of(mpi), by_mpich ? "MPICH" : "Open MPI", mpi);
  }
}

/// Checks that the program isn't for SMPI. Such a program has no dynamic linker of its own, just as a statically linked one.
void require_program_of_mpirun(const fs::path& program) {
  try {
    require_preloadable(program);
  } catch (const Error&) {
    if (is_built_for_smpi(program)) {
      throw environment_error(
          "{} is built for SimGrid's SMPI, which simulates its processes. Run it with 'flopcast mpi simulate', or compile and link it for "
          "mpirun with mpicc, mpicxx or mpifort",
          program.string());
    }
    throw;
  }
}

/// Returns the MPI that `program` is linked with: "openmpi" or "mpich". Returns nothing if it is linked with neither, as a script or a
/// program that opens MPI at run time.
std::optional<std::string> linked_mpi(const fs::path& program) {
  const std::vector<LoadedLibrary> loaded = loaded_libraries(program, process::current_environment());
  const auto has = [&](const char* name) {
    return std::any_of(loaded.begin(), loaded.end(), [&](const auto& library) { return library.name.find(name) != std::string::npos; });
  };
  if (has("libmpich.so")) {
    return "mpich";
  }
  if (has("libmpi.so.12")) {
    throw environment_error(
        "{} is linked with libmpi.so.12, as programs of Intel MPI, MVAPICH and some builds of MPICH are. flopcast traces Open MPI "
        "(libmpi.so.40) and MPICH as distributions build it (libmpich.so.12): compile and link the program with one of these",
        program.string());
  }
  return has("libmpi.so") ? std::optional<std::string>("openmpi") : std::nullopt;
}

std::string chosen_mpi(const fs::path& program, const std::string& mpi) {
  const std::optional<std::string> linked = linked_mpi(program);
  if (linked && !mpi.empty() && *linked != mpi) {
    throw usage_error("{} is linked with {}, which --mpi {} can't change. Leave --mpi out", program.string(), name_of(*linked), mpi);
  }
  if (linked) {
    require_own_launcher(program, *linked);
  }
  std::string chosen = !mpi.empty() ? mpi : linked.value_or(launching_mpi());
  if (chosen.empty()) {
    throw environment_error(
        "{} isn't linked with an MPI that flopcast knows. If it opens one at run time, give --mpi openmpi or --mpi mpich",
        program.string());
  }
  return chosen;
}

/// Returns nothing where every kernel is executed. The process of rank 0 is ended first, so that the user reads the message once.
std::unique_ptr<StallWatch> made_watch(const protocol::MpiOptions& options, Seconds timeout, bool is_first) {
  constexpr Seconds others_wait = 2;
  const bool skips = options.policy != selective::Policy::full || !options.executions.empty();
  return skips && timeout > 0 ? std::make_unique<StallWatch>(timeout + (is_first ? 0 : others_wait)) : nullptr;
}

[[noreturn]] void throw_other_mpi(const fs::path& program, const std::string& traced, bool is_chosen) {
  const std::string other = traced == "mpich" ? "openmpi" : "mpich";
  if (is_chosen) {
    throw environment_error("{} loads {}, but is traced as a program of {} because of --mpi {}. Give --mpi {}", program.string(),
                            name_of(other), name_of(traced), traced, other);
  }
  throw environment_error("{} loads {}, but {}'s mpirun started it. Its processes wouldn't find each other. Start it with mpirun.{}",
                          program.string(), name_of(other), name_of(traced), other);
}

}  // namespace

bool is_first_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) {
      return std::string_view(rank) == "0";
    }
  }
  return true;
}

std::vector<fs::path> linked_libraries(const fs::path& program) {
  std::vector<fs::path> libraries;
  for (const LoadedLibrary& library : loaded_libraries(program, process::current_environment())) {
    if (!library.path.empty()) {
      libraries.push_back(library.path);
    }
  }
  return libraries;
}

MpiRun run_mpi_program(const std::vector<std::string>& command, const std::string& mpi, protocol::MpiOptions options, Seconds timeout) {
  const fs::path program = find_program(command.at(0));
  require_program_of_mpirun(program);
  const std::string traced = chosen_mpi(program, mpi);
  require_all_traced();
  const MemoryFile file("flopcast-mpi-profile");
  options.profile = file.path();
  MpiRun run;
  run.first = is_first_process();
  const std::unique_ptr<StallWatch> watch = made_watch(options, timeout, run.first);
  options.progress = watch ? watch->file() : "";
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, protocol::mpi_options_variable, protocol::to_text(options));
  const PreloadedComponent component("libflopcast-mpi-" + traced + ".so");
  component.put_first(environment);

  run.exit_code = run_program(program, command, std::move(environment), SIGKILL);
  run.stalled = watch && watch->has_ended_it();
  std::string text = file.contents();
  if (text == mpi_stage_foreign) {
    throw_other_mpi(program, traced, !mpi.empty());
  }
  if (text.empty() || text.front() != '{') {
    run.stage = std::move(text);
  } else if (const std::string_view end = protocol::mpi_profile_end;
             text.size() >= end.size() && text.substr(text.size() - end.size()) == end) {
    run.profile = std::move(text);
  } else {
    run.stage = mpi_stage_writing;
  }
  return run;
}

}  // namespace flopcast
