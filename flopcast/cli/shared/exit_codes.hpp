#pragma once

#include <array>
#include <exception>
#include <string_view>

#include "flopcast/support/error.hpp"

namespace flopcast::cli {

struct ExitCodeMeaning {
  int code;
  std::string_view in_short;
  std::string_view meaning;
};

/// The exit codes, for help and manual.
inline constexpr std::array<ExitCodeMeaning, 8> exit_codes = {
    {{0, "done", "Done."},
     {1, "a requested check failed", "A check that was asked for failed."},
     {2, "usage", "The command line is wrong."},
     {3, "bad input", "A file, size or name that was given is wrong."},
     {4, "environment", "The machine, a library or the file system refuses."},
     {5, "measurement unusable", "The measurement was made, but its result is of no use."},
     {70, "internal error", "A bug of flopcast."},
     {130, "interrupted (143 by SIGTERM)", "Interrupted by Ctrl-C. The code is 143 after SIGTERM."}}};

/// Returns the error that the program ends with after an exception that is no request to stop.
Error as_error(const std::exception& exception);

}  // namespace flopcast::cli
