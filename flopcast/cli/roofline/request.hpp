#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/tasks/roofline/request.hpp"

namespace flopcast::cli {

/// Texts of the options that `roofline` and `roofline study` have in common.
struct GemmSpaceTexts {
  std::string affinity = "close";
  std::string space;  ///< empty: brief, or sizes
  std::string m, n, k;
  std::string order;  ///< empty: the technique's own
};

/// Adds --affinity, --space, --m, --n, --k and --order.
void add_space_options(OptionSet& command, GemmSpaceTexts& texts);

/// Returns the space that the options name or spell out. Throws usage_error if they do both, bad_input for sizes out of range.
roofline::GemmSpace parse_space(const GemmSpaceTexts& texts);

/// Returns --order; nothing if it wasn't given. Throws usage_error for an unknown order.
std::optional<search::Order> parse_order(const GemmSpaceTexts& texts);

/// Throws usage_error if `option` names something twice.
void require_distinct(std::vector<std::string> names, const char* option);

/// Throws usage_error for options of `command` that mean nothing beside `mode`, such as "--replot": all but those allowed and the
/// common ones.
void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode);

}  // namespace flopcast::cli
