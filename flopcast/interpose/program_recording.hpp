#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "flopcast/interpose/program_run.hpp"

namespace flopcast::interpose {

/// How a program is to be recorded.
struct RecordingOptions {
  std::filesystem::path output = "flopcast.trace";
  bool dry_run = false;    ///< skip what computes much (preloaded/dry_run.cpp says what)
  nlohmann::json machine;  ///< kept in the file
};

/// Runs a program and records its outermost BLAS and LAPACK calls, and those of the programs that it starts; waits for its end and returns
/// its exit code, 128 plus the signal if one ended it. A file that is there already is replaced when the program starts. The recording is
/// in the file at any time, also if we or the program are killed (trace_format.hpp). Throws environment_error, and leaves nothing behind,
/// if the program doesn't exist or libraries can't be preloaded into it, or if the file can't be written.
int record_program(const ProgramOptions& program, const RecordingOptions& options);

}  // namespace flopcast::interpose
