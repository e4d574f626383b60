#pragma once

#include <string>

#include "flopcast/tasks/ask/ask.hpp"
#include "tests/message_of.hpp"

namespace flopcast {

/// A workbench whose libraries can't be opened: what these tests ask needs none, or fails before.
inline Workbench closed_workbench() { return Workbench({.blas = "no such library"}); }

inline std::string refusal(const std::string& request) {
  return tests::bad_input_of([&] { static_cast<void>(ask(closed_workbench(), request)); });
}

}  // namespace flopcast
