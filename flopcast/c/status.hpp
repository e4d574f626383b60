#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

#include "flopcast/flopcast.h"
#include "flopcast/support/error.hpp"

namespace flopcast::c {

/// Returns the status of the exception that is being handled, and keeps its message for flopcast_error_message() in this thread.
flopcast_status failure() noexcept;

/// Runs `work`. Every exception becomes a status.
template <class Work>
flopcast_status guarded(Work&& work) noexcept {
  try {
    work();
    return FLOPCAST_DONE;
  } catch (...) {
    return failure();
  }
}

/// Throws again what the failed function of this thread caught last.
[[noreturn]] void rethrow_failure();

/// Turns the status of a function of the C interface, called in this thread, into the exception that the function caught.
inline void throw_if_failed(flopcast_status status) {
  if (status != FLOPCAST_DONE) {
    rethrow_failure();
  }
}

/// Throws usage_error, which names the argument, if the pointer is null.
template <class T>
T& required(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw usage_error("{} is a null pointer", name);
  }
  return *pointer;
}

/// Returns a copy of `text` for flopcast_free().
char* new_text(const std::string& text);

/// Returns the options that a program gave: a structure of this version, of an earlier one with fewer members, or of a later one whose
/// further members are 0. A null pointer stands for defaults. Throws usage_error for a size that no version has.
template <class Options>
Options given_options(const Options* given, const char* name) {
  static_assert(std::is_trivially_copyable_v<Options>);
  Options options{};
  if (given == nullptr) {
    return options;
  }
  constexpr std::size_t max_size = 4096;
  if (given->size <= sizeof given->size || given->size > max_size) {
    throw usage_error("{}.size is {}; expected sizeof({}), which is {}", name, given->size, name, sizeof(Options));
  }
  const auto* bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(Options); i < given->size; ++i) {
    if (bytes[i] != 0) {
      throw usage_error("{} has members that this version of libflopcast doesn't know; set them to 0", name);
    }
  }
  std::memcpy(&options, given, std::min(given->size, sizeof(Options)));
  return options;
}

}  // namespace flopcast::c
