#pragma once

#include <string>

namespace flopcast::cli {

/// From now on the first Ctrl-C or SIGTERM sets a flag, and one more than half a second later kills. Where nobody polls the flag for a
/// second, the process ends in the middle of its step. Writing to a closed pipe fails instead of killing. A program started with exec gets
/// the usual behaviour back.
void install_signal_handlers();

/// Whether Ctrl-C or SIGTERM came; long operations poll it in their progress callbacks.
bool interrupted() noexcept;

/// 130 after Ctrl-C and 143 after SIGTERM, as a shell says of programs that these signals end.
int interrupted_exit_code() noexcept;

/// From now on the process takes the time that it needs, as it shows what it has: it doesn't end between two polls any more.
void let_results_be_shown() noexcept;

/// Throws Cancelled if interrupted(); `kept` says what of the work done so far is kept, e.g. "samples are kept; run it again to go on".
void throw_if_interrupted(const std::string& kept);

}  // namespace flopcast::cli
