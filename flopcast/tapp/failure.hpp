#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "flopcast/tapp/tapp.h"
#include "flopcast/tapp/tapp_flopcast.h"

namespace flopcast::tapp {

/// Ends a function of the interface with an error code. An empty text stands for the general explanation of the code.
class Failure : public std::runtime_error {
 public:
  Failure(TAPP_error code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] TAPP_error code() const noexcept { return code_; }

 private:
  TAPP_error code_;
};

template <class... Args>
Failure failure(TAPP_error code, fmt::format_string<Args...> text, Args&&... args) {
  return {code, fmt::format(text, std::forward<Args>(args)...)};
}

/// Returns the code of the exception that is being handled, and keeps its message for TAPP_explain_error() in this thread.
TAPP_error handled_failure() noexcept;

/// Runs `work`. Every exception becomes an error code.
template <class Work>
TAPP_error guarded(Work&& work) noexcept {
  try {
    work();
    return FLOPCAST_TAPP_DONE;
  } catch (...) {
    return handled_failure();
  }
}

/// Throws a Failure, which names the argument, if the pointer is null.
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw failure(FLOPCAST_TAPP_NULL_POINTER, "{} is a null pointer", name);
  }
  return *pointer;
}

}  // namespace flopcast::tapp
