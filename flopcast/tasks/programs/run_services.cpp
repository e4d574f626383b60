#include "flopcast/tasks/programs/run_services.hpp"

#include <cstdlib>
#include <map>
#include <memory>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/library_links.hpp"
#include "flopcast/program/loaded_libraries.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/recorder.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/tasks/programs/run_tuning.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/wisdom_file.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using program::RoutineUse;

/// Tries which LAPACKs query ilaenv for which routines.
class QueryTrials {
 public:
  /// Returns whether the LAPACK in `use.lapack` queries the routine's block size when it is called; nothing if that can't be tried.
  std::optional<bool> would_query(const RoutineUse& use, const fs::path& blas) {
    constexpr const char* size = "256";
    try {
      const Routine& routine = kernel::require(use.routine);
      std::map<std::string, std::string> arguments;
      for (const Argument& argument : routine.arguments) {
        if (argument.kind == Kind::size) {
          arguments[argument.name] = size;
        }
      }
      std::unique_ptr<program::Recorder>& recorder = recorders_[use.lapack];
      if (!recorder) {
        recorder = std::make_unique<program::Recorder>(program::LibraryFiles{blas.empty() ? fs::path(use.lapack) : blas, use.lapack});
      }
      return recorder->block_size_query(kernel::parse_call(routine, arguments)).has_value();
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  std::map<fs::path, std::unique_ptr<program::Recorder>> recorders_;  // a start takes longer than a trial
};

/// Returns a library of the loader's folders; empty if there is none.
fs::path loaders(const char* name) {
  for (const fs::path& folder : machine::loader_directories()) {
    if (std::error_code error; fs::exists(folder / name, error)) {
      return fs::canonical(folder / name, error);
    }
  }
  return {};
}

/// Returns the times of routines by threads. The program's own LAPACK is part of its BLAS, or else the loader's.
std::string thread_table_here(ThreadOrder order, const RunContext& context) {
  if (order.lapack.empty()) {
    order.lapack = machine::has_routine(order.blas, "dgeqrf") ? order.blas : loaders("liblapack.so.3");
  }
  return thread_table(order, context);
}

/// Returns the first of the libraries that the linker loads with the program which has BLAS's dgemm.
fs::path programs_blas(const std::vector<std::string>& command) {
  try {
    for (const program::LoadedLibrary& library :
         program::loaded_libraries(program::find_program(command.at(0)), process::current_environment())) {
      if (!library.path.empty() && machine::has_routine(library.path, "dgemm")) {
        return fs::canonical(library.path);
      }
    }
  } catch (const std::exception&) {  // there is no such program, which its start reports
  }
  return {};
}

RunServices::SearchPaths keep_links(const program::LibraryFiles& libraries, const fs::path& preload, const fs::path& folder) {
  RunServices::SearchPaths paths;
  if (libraries != program::LibraryFiles{}) {
    const program::LibraryLinks links(libraries, folder);
    std::vector<std::string> environment = process::current_environment();
    process::set_variable(environment, "LD_LIBRARY_PATH", "");
    links.put_first(environment);
    paths.libraries = process::variable(environment, "LD_LIBRARY_PATH");
    const std::string before = process::variable(process::current_environment(), "R_LD_LIBRARY_PATH");
    paths.r_libraries = before.rfind(paths.libraries, 0) == 0 ? before : process::variable(environment, "R_LD_LIBRARY_PATH");
  }
  if (is_listable(preload)) {
    paths.preload = preload;
  } else {
    program::make_link_folder(folder);
    paths.preload = program::keep_link(folder, preload.filename().string(), preload);
  }
  return paths;
}

}  // namespace

RunServices this_run_services(const RunContext& context) {
  RunServices services;
  services.libraries = [](const RunRequest& request) {
    return program::program_libraries(named_blas(request), request.lapack, request.command);
  };
  services.default_tuning = program::default_tuning_file;
  services.system_tunings = [&context] { return system_wisdom(context).tunings; };
  services.system_misfit = [&context] { return system_tunings_misfit(context); };
  services.digest = this_wisdom_machine().digest;
  services.programs_blas = programs_blas;
  services.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value != nullptr ? value : "");
  };
  services.cpu = [] { return machine::detect_topology().cpu; };
  services.cores = [] { return machine::detect_topology().usable_cores; };
  services.loaders_blas = [] { return loaders("libblas.so.3"); };
  services.thread_table = [&context](const ThreadOrder& order) { return thread_table_here(order, context); };
  services.installed = [] { return machine::installed_libraries(); };
  services.known_kernels = known_kernels;
  services.better_kernels = [&context](const std::string& blas) {
    return better_kernels(machine::locate_usable(blas, machine::Role::blas), "which is set for the program", context);
  };
  services.integer_bytes = [](const fs::path& library) { return machine::integer_bytes(library); };
  services.preload = [] { return program::find_component("libflopcast-tuned.so").string(); };
  services.keep_links = keep_links;
  services.run = program::run_with_tuning;
  services.would_query = [trials = std::make_shared<QueryTrials>()](const RoutineUse& use, const fs::path& blas) {
    return trials->would_query(use, blas);
  };
  services.why_not_started = program::why_not_started;
  services.other_blas = [](const program::ProgramOptions& program, const fs::path& taken) {
    return program::other_blas_note(program.command, taken, program.libraries);
  };
  return services;
}

}  // namespace flopcast
