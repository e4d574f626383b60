#pragma once

#include <string>

#include "flopcast/core/environment.hpp"
#include "flopcast/program/program_trace.hpp"

namespace flopcast::program {

/// Throws bad_input if a library is none for the recorded program: its threads may call at the same time, and the library was built for one
/// thread and has no lock. An empty name stands for the recorded library.
void require_thread_safe(const RecordedProgram& program, const std::string& blas, const std::string& lapack);
/// Throws bad_input as above where only the identities of the libraries are known.
void require_thread_safe(const RecordedProgram& program, const Environment& environment);

}  // namespace flopcast::program
