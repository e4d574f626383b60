#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flopcast {

/// Returns `text` between single quotation marks, as a shell reads it: `mark` stands for such a mark in the text.
std::string shell_quoted(std::string_view text, std::string_view mark = "'\\''");

/// Returns words as a POSIX shell reads them, each in quotation marks where it has to be.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace flopcast
