#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "flopcast/support/exception.hpp"

namespace flopcast {

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
