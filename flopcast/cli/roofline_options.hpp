#pragma once

#include "flopcast/cli/shared/option_set.hpp"

#include <string>
#include <vector>

namespace flopcast::cli {

/// Throws usage_error for options of `command` that mean nothing beside `mode`, such as "--replot": all but those allowed and the
/// common ones.
void require_only(const OptionSet& command, const std::vector<std::string>& allowed, const std::string& mode);

inline constexpr const char* order_help =
    "of the shapes in a published technique: forward, reversed or shuffled (default: the technique's own)";

}  // namespace flopcast::cli
