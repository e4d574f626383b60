#pragma once

#include <string>

namespace flopcast::cli {

/// Lets the first Ctrl-C or SIGTERM set a flag. Another one more than half a second later ends the process. If nobody polls the flag for a
/// second, the process ends in the middle of its step. Writing to a closed pipe fails instead of killing. A program started with exec gets
/// the usual behaviour back.
void install_signal_handlers();

/// Returns whether Ctrl-C or SIGTERM came. Long operations poll it in their progress callbacks.
bool interrupted() noexcept;

/// Returns 130 after Ctrl-C and 143 after SIGTERM, as a shell does for programs that these signals end.
int interrupted_exit_code() noexcept;

/// Gives the process the time that it needs to show its results: it no longer ends when nobody polls.
void let_results_be_shown() noexcept;

/// Throws Cancelled if interrupted(); `kept` says which results are kept: "samples are kept; run it again to go on".
void throw_if_interrupted(const std::string& kept);

}  // namespace flopcast::cli
