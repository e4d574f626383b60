#pragma once

#include <cstddef>
#include <string>

#include "flopcast/cli/shared/command_description.hpp"

namespace flopcast::cli {

/// Returns the text that `--help` shows of a command, with lines of at most `width` columns. Longer are only words that can't be broken.
std::string help_page(const CommandDescription& command, std::size_t width);

}  // namespace flopcast::cli
