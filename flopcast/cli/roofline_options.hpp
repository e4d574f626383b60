#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace flopcast::cli {

/// Throws usage_error for options of `command` that mean nothing beside `mode`, such as "--replot": all but those allowed and the
/// common ones.
void require_only(const CLI::App& command, const std::vector<std::string>& allowed, const std::string& mode);

inline constexpr const char* order_help =
    "of the shapes in a published technique: forward, reversed or shuffled (default: the technique's own)";

}  // namespace flopcast::cli
