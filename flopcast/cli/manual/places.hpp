#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/shared/command_description.hpp"

/// Files and variables, for the manual. docs/reference/files.md and environment.md have the same with more detail.
namespace flopcast::cli {

struct NamedPlace {
  std::string name;
  std::string meaning;
};

/// Returns the variables that users set, those of the general settings first.
std::vector<NamedPlace> variables(const CommandDescription& top);

/// Returns the files that flopcast reads and writes by itself.
std::vector<NamedPlace> files();

}  // namespace flopcast::cli
