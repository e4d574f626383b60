#pragma once

#include <string>
#include <vector>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/tasks/roofline/request.hpp"

namespace flopcast::cli {

/// Texts of the options that choose shapes and CPUs.
struct GemmSpaceTexts {
  std::string affinity = "close";
  std::string space;  ///< empty: brief, or sizes
  std::string m, n, k;
};

/// Adds --affinity, --space, --m, --n and --k.
void add_space_options(OptionSet& command, GemmSpaceTexts& texts);

/// Returns the space that the options name or spell out. Throws usage_error if they do both, bad_input for sizes out of range.
roofline::GemmSpace parse_space(const GemmSpaceTexts& texts);

/// Throws usage_error if `option` names something twice.
void require_distinct(std::vector<std::string> names, const char* option);

/// Throws usage_error for options of `command` that mean nothing beside `mode`, such as "--replot": all but those allowed and the
/// common ones.
void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode);

}  // namespace flopcast::cli
