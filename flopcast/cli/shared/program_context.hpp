#pragma once

#include "flopcast/cli/shared/options.hpp"

namespace flopcast::cli {

/// Returns a context for commands that start other programs: notes name flopcast, because standard error is also the program's.
inline RunContext program_context(const CommonOptions& common) {
  RunContext context = run_context(common);
  context.note = [note = context.note](const std::string& text) { note("flopcast: " + text); };
  return context;
}

}  // namespace flopcast::cli
