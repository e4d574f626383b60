#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace flopcast {

/// What a process reports to its caller; the command line documents these numbers.
enum class ExitCode : int {
  done = 0,
  check_failed = 1,          ///< a check the user asked for did not hold
  usage = 2,                 ///< the command line is wrong
  bad_input = 3,             ///< a file, size or name that was given is wrong
  environment = 4,           ///< the machine, a library or the file system refuses
  unusable_measurement = 5,  ///< measuring worked, but its result can't be used
  internal = 70,             ///< a bug of ours
};

/// Ends an operation; caught once, in main, which prints what() and returns code().
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Each of these builds an Error whose message says what, where, the value given and what was expected.
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
