#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_run.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/thread_models.hpp"

/// A program with tuned block sizes is started through these functions. Tests have services of their own.
namespace flopcast {

/// Everything outside of a request and its tuning file that decides about settings, and the start of the program.
struct RunServices {
  /// Returns the files that take the place of the program's libraries, as program_libraries() does.
  std::function<program::LibraryFiles(const RunRequest& request)> libraries;
  std::function<std::string()> default_tuning;                        ///< file of the user's tuning file
  std::function<std::vector<program::SavedTuning>()> system_tunings;  ///< the system's wisdom that holds here, without `others`
  std::function<std::string(const std::string& name)> variable;       ///< the user's environment variable; empty: not set
  std::function<std::string()> cpu;
  std::function<int()> cores;
  std::function<std::string()> system_misfit;  ///< why no tuning file of the system's wisdom holds here; empty if one does or it has none
  std::function<std::filesystem::path()> loaders_blas;  ///< file that libblas.so.3 stands for; empty if there is none
  /// Returns the file of the BLAS that the program is linked with; empty if it is linked with none, as scripts are.
  std::function<std::filesystem::path(const std::vector<std::string>& command)> programs_blas;
  std::function<std::string(const std::string& library)> digest;  ///< digest of LibraryIdentity; empty if there is no such library
  std::function<std::vector<machine::InstalledLibrary>()> installed;
  /// Returns what earlier trials found for all libraries but one.
  std::function<machine::KernelSettings(const std::filesystem::path& but)> known_kernels;
  /// Returns the best kernels of a library by name or path, and tries them if nobody did before.
  std::function<machine::KernelSettings(const std::string& blas)> better_kernels;
  std::function<std::optional<int>(const std::filesystem::path& library)> integer_bytes;
  std::function<std::string(const ThreadOrder& order)> thread_table;  ///< thread_table() with this machine's libraries and store
  std::function<std::string()> preload;                               ///< file of the library that answers queries for block sizes
  /// Values of the dynamic linker's variables.
  struct SearchPaths {
    std::string libraries;          ///< for LD_LIBRARY_PATH, without what it holds already
    std::string r_libraries;        ///< for R_LD_LIBRARY_PATH, as a whole
    std::filesystem::path preload;  ///< for LD_PRELOAD
  };
  /// Makes links in `folder` that stay: to the libraries, and to the preloaded one if its own path can't stand in LD_PRELOAD.
  std::function<SearchPaths(const program::LibraryFiles& libraries, const std::filesystem::path& preload,
                            const std::filesystem::path& folder)>
      keep_links;
  std::function<program::ProgramRun(const program::ProgramOptions& program, const program::SavedTuning& tuning)> run;
  /// Returns whether the LAPACK in `use.lapack`, over this BLAS, queries the routine's block size when it is called; nothing if that can't
  /// be tried.
  std::function<std::optional<bool>(const program::RoutineUse& use, const std::filesystem::path& blas)> would_query;
  std::function<std::string(const std::string& command, int exit_code)> why_not_started;
  /// Returns a note on a program that took another BLAS than the chosen one; empty if it did not.
  std::function<std::string(const program::ProgramOptions& program, const std::filesystem::path& taken)> other_blas;
};

/// Returns the services of this machine. `context` must outlive the result.
RunServices this_run_services(const RunContext& context);

/// The settings of `flopcast run` for a program.
struct RunSettings {
  std::map<std::string, std::string> variables;  ///< environment variables: kernels, threads, block sizes
  std::string blas, lapack;                      ///< files that take the place of the program's libraries; empty: its own stay
  std::string preload;                           ///< library that answers LAPACK's queries for block sizes
  program::SavedTuning tuning;                   ///< the decisions that hold for this library and number of threads
};

/// Returns what the program would be run with. Throws as run_program() does.
RunSettings run_settings(const RunRequest& request, const RunServices& services, const RunContext& context);
/// Does the same as program_environment(request, context) with these services.
ProgramEnvironment program_environment(const EnvironmentRequest& request, const RunServices& services, const RunContext& context);
/// Does the same as run_program(request, context) with these services.
RunOutcome run_program(const RunRequest& request, const RunServices& services, const RunContext& context);

}  // namespace flopcast
