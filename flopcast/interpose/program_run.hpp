#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/interpose/profile.hpp"
#include "flopcast/interpose/recorder.hpp"

namespace flopcast::interpose {

/// How a program is to be started.
struct ProgramOptions {
  std::vector<std::string> command;  ///< program and arguments, not empty
  LibraryFiles libraries;            ///< empty ones: what the program loads by itself
  std::optional<int> threads;        ///< of BLAS, through the variables that the libraries read
};

/// What a program asked of one entry of the profile.
struct RoutineUse {
  std::string routine, flags;
  std::uint64_t questions = 0;             ///< times that its LAPACK asked for the block size
  std::int64_t smallest = 0, largest = 0;  ///< order of the problems asked for
  std::int64_t told = 0;                   ///< the largest block size that was the answer
  std::uint64_t short_workspaces = 0;      ///< times that the program's workspace was too short for it
  std::int64_t allowed = 0;                ///< the least block size that such a workspace allowed; 0: not known
  std::uint64_t other_questions = 0;       ///< times that was asked with options for which the profile has nothing
  std::string other_options;               ///< the first of these
  std::filesystem::path asker;             ///< library that asked; empty if none did
  std::filesystem::path definer;           ///< library that defines the routine in the program; empty if none was seen
};

/// What became of a program.
struct ProgramRun {
  int exit_code = 0;                            ///< its own, or 128 plus the signal that ended it
  std::int64_t processes = 0;                   ///< that had the preloaded library in them
  std::filesystem::path blas;                   ///< library that defined dgemm; empty if none was seen
  std::map<std::string, std::string> settings;  ///< environment variables of the profile that were set for it: those that the user hadn't
  std::vector<RoutineUse> routines;             ///< in the order of the profile
  std::string lacking_report;                   ///< why nothing is known but exit_code and settings; usually empty
};

/// Runs a program whose LAPACK is told the block sizes of `profile`, and waits for its end. Throws environment_error if the program doesn't
/// exist or libraries can't be preloaded into it.
ProgramRun run_with_profile(const ProgramOptions& options, const Profile& profile);

}  // namespace flopcast::interpose
