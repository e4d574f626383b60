#pragma once

#include <stdexcept>
#include <string>

namespace flopcast::cli {

/// Thrown where the user pressed Ctrl-C; main prints what() and exits with 130, as a shell does for a program ended by SIGINT.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int interrupted_exit_code = 130;

/// From now on the first Ctrl-C or SIGTERM only sets a flag, the second kills; writing to a closed pipe fails instead of killing. A program
/// started with exec gets the usual behaviour back.
void install_signal_handlers();

/// Whether Ctrl-C was pressed since; long operations poll it in their progress callbacks.
bool interrupted() noexcept;

/// Throws Interrupted if interrupted(); `kept` says what of the work done so far is kept, e.g. "samples are kept; run it again to go on".
void throw_if_interrupted(const std::string& kept);

}  // namespace flopcast::cli
