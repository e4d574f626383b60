#pragma once

#include <string>

#include "flopcast/cli/library_options.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/interpose/program_trace.hpp"

namespace flopcast::cli {

/// Throws bad_input if `libraries` are none for the recorded program: its threads may call at the same time, and one of them was built for one
/// thread and has no lock. `asked` is the option that names them.
void require_thread_safe(const interpose::ProgramTraceFile& file, const LibraryOptions& libraries, const std::string& asked);
/// The same where only the identities of the libraries are known.
void require_thread_safe(const interpose::ProgramTraceFile& file, const Environment& environment, const std::string& asked);

}  // namespace flopcast::cli
