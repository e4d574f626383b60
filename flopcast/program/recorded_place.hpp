#pragma once

#include <map>
#include <optional>
#include <string>

#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Where a program was recorded, as far as the recording says: names or paths that the library options take.
struct RecordedPlace {
  std::string blas;            ///< empty: not recorded
  std::string lapack;          ///< empty: not recorded
  std::optional<int> threads;  ///< threads of BLAS; nothing: not recorded
  std::string kernels;         ///< that BLAS had chosen, as it calls them; empty: not recorded
  /// Variables that make this machine's library take those kernels; empty: it does by itself, or they are not known.
  std::map<std::string, std::string> kernel_settings = {};
  std::string cpu;                        ///< empty: not recorded
  ThreadVariables thread_variables = {};  ///< those of the program's environment
};

/// Returns the place of a recording in the names of installed libraries. Libraries that are not installed here have their paths.
RecordedPlace recorded_place(const ProgramSummary& summary);

/// Returns the name under which a library with BLAS or LAPACK is installed; for others their path.
std::string library_name(const std::string& path);

/// Sets the threads if the recording has none: one for a serial BLAS, else one per core, as BLAS takes by itself here. Leaves them open on
/// another machine, or if the BLAS isn't known or isn't here. Returns a remark for the user if more than one are assumed, else "".
std::string assume_threads(RecordedPlace& place);

/// Returns whether this machine's CPU is the one on which the program was recorded.
bool is_this_machine(const RecordedPlace& place);

}  // namespace flopcast::program
