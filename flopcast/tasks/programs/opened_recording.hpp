#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/workbench/recorded_kernels.hpp"

namespace flopcast {

/// A recording with its sums and the place where it was made.
struct OpenedRecording {
  /// Throws bad_input if the file isn't a recording.
  explicit OpenedRecording(const std::filesystem::path& path);

  /// Completes the place with what the recording doesn't say but `threads_option` or this machine does, and looks for the kernels that
  /// the program's BLAS had. Returns a remark on assumed threads, or "".
  std::string complete_place(std::optional<int> threads_option, const RunContext& context);

  program::ProgramTraceFile file;
  program::ProgramBreakdown breakdown;
  program::RecordedPlace place;
  std::optional<RecordedKernels> kernels;
};

/// Returns the libraries for a recorded program that is predicted by models alone: as recorded where `change` names no others.
machine::LibraryChoice libraries_for(const OpenedRecording& opened, const WhatIf& change);

}  // namespace flopcast
