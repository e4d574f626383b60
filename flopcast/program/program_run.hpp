#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/program/recorder.hpp"
#include "flopcast/program/saved_tuning.hpp"

namespace flopcast::program {

/// Settings with which a program is started.
struct ProgramOptions {
  std::vector<std::string> command;  ///< program and arguments, not empty
  LibraryFiles libraries;            ///< empty ones: the program's own choice
  std::optional<int> threads;        ///< threads of BLAS, set in the variables that the libraries read
  std::string thread_table = {};     ///< text of protocol::ThreadTable; empty: no call gets threads of its own
};

/// Outcome of a program.
struct ProgramRun {
  int exit_code = 0;                            ///< the program's own, or 128 plus the signal that ended it
  std::int64_t processes = 0;                   ///< processes into which the preloaded library was loaded
  std::int64_t concluded = 0;                   ///< processes that ended by themselves; others don't report their libraries
  std::filesystem::path blas;                   ///< library that defined dgemm; empty if none was seen
  std::map<std::string, std::string> settings;  ///< the tuning file's environment variables that were set, because the user hadn't set them
  std::vector<RoutineUse> routines;             ///< in the order of the tuning file
  std::vector<SizeUse> sizes;                   ///< queries by routine, options and sizes
  std::vector<ThreadUse> threads;               ///< calls by routine, library and number of threads
  std::uint64_t unlisted = 0;                   ///< queries for further sizes, for which `sizes` had no room
  std::string lacking_report;                   ///< reason why only exit_code and settings are known; usually empty
};

/// Runs a program whose LAPACK gets the block sizes of `tuning file`, and waits for its end. Throws environment_error if the program doesn't
/// exist or libraries can't be preloaded into it.
ProgramRun run_with_tuning(const ProgramOptions& options, const SavedTuning& tuning);

}  // namespace flopcast::program
