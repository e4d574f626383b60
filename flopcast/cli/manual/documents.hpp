#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {

/// Does what the build and the completion scripts ask of the program, and returns the exit code; returns nothing for any other words.
/// `--documents FOLDER DATE` writes the manual pages of that date, the completion scripts and the reference of commands below the folder.
/// `--names LIST` prints the names of a list.
std::optional<int> write_documents(const std::vector<std::string>& words, const OptionSet& top, const std::string& version);

}  // namespace flopcast::cli
