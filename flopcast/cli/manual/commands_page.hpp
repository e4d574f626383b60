#pragma once

#include <string>

#include "flopcast/cli/shared/command_description.hpp"

namespace flopcast::cli {

/// Returns the reference of all commands and options, as Markdown.
std::string commands_page(const CommandDescription& top);

}  // namespace flopcast::cli
