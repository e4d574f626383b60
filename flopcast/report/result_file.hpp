#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flopcast::report {

/// Returns the documents in a file, as pairs of name and JSON: the file's own text, or the documents that a page embeds. "-" is standard
/// input. Throws bad_input that names the file if it can't be read, or is a page that is cut off or embeds nothing.
std::vector<std::pair<std::string, std::string>> read_results(const std::string& file);

/// Returns the only document in a file. Throws as read_results(), and bad_input for a page about several.
std::string read_result(const std::string& file);

}  // namespace flopcast::report
