#pragma once

#include <string>

#include "flopcast/cli/shared/command_description.hpp"

namespace flopcast::cli {

/// A manual page: "flopcast-mpi-tune" and its text for man(7).
struct ManualPage {
  std::string name;
  std::string text;
};

/// Returns the manual page of `command`, which is `top` or one of its commands. `date` is the page's date, such as 2026-01-31; `version` is
/// that of the program.
ManualPage manual_page(const CommandDescription& command, const CommandDescription& top, const std::string& date,
                       const std::string& version);

}  // namespace flopcast::cli
