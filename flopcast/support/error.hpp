#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <utility>

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

/// Functions that build an Error. The message says what is wrong and where, with the given and the expected value.
template <class... Args>
Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ExitCode::usage, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_input(fmt::format_string<Args...> text, Args&&... args) {
  return {ExitCode::bad_input, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error environment_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ExitCode::environment, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error unusable_measurement(fmt::format_string<Args...> text, Args&&... args) {
  return {ExitCode::unusable_measurement, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error internal_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ExitCode::internal, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace flopcast
