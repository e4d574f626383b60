#pragma once

#include <stdexcept>
#include <string>

namespace flopcast {

/// Exit codes of a process; the command line documents these numbers.
enum class ExitCode : int {
  done = 0,
  check_failed = 1,          ///< a check that the user requested failed
  usage = 2,                 ///< the command line is wrong
  bad_input = 3,             ///< a given file, size or name is wrong
  environment = 4,           ///< the machine, a library or the file system refuses
  unusable_measurement = 5,  ///< the measurement was made, but its result can't be used
  internal = 70,             ///< a bug of flopcast
};

/// Ends an operation. It is caught once, in main, which prints what() and returns code().
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Returns flopcast's version: "1.0.0".
const char* version() noexcept;

}  // namespace flopcast
