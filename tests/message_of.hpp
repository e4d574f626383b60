#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "flopcast/support/error.hpp"

namespace flopcast::tests {

/// Returns the message of the Error that `action` throws; an empty text if it throws none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Returns the message of the bad_input that `action` throws; a text that says so if it throws none.
inline std::string bad_input_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace flopcast::tests
