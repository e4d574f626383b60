#pragma once

#include <filesystem>

#include "flopcast/program/program_run.hpp"
#include "flopcast/program/recorded_run.hpp"

namespace flopcast::program {

/// Settings of a recording.
struct RecordingOptions {
  std::filesystem::path output = "flopcast.trace";
  bool dry_run = false;          ///< skip expensive calls (preloaded/dry_run.cpp says which)
  RecordedMachine machine = {};  ///< kept in the file
  bool anonymous = false;        ///< the file gets no folders, arguments or texts of the environment (support/anonymous.hpp)
  bool silent = false;           ///< the program reads and writes /dev/null
  Seconds limit = 0;             ///< time after which the program and those that it started are killed; 0: never
  bool probes = false;           ///< processes note where they compute outside of calls (preload/trace/probes.hpp)
};

/// Runs a program, records the outermost BLAS and LAPACK calls of it and of the programs that it starts, and waits for its end. Returns its
/// exit code, or 128 plus the signal that ended it. An existing file is replaced when the program starts. The recording is in the file at
/// any time, even if flopcast or the program is killed (trace_format.hpp).
/// Throws environment_error, and leaves no file behind, if the program doesn't exist, libraries can't be preloaded into it, or the file
/// can't be written.
int record_program(const ProgramOptions& program, const RecordingOptions& options);

}  // namespace flopcast::program
