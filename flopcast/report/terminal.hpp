#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast::report {

/// Returns the number of columns that text on `descriptor` may take: the exported variable COLUMNS if it is a positive number, else the
/// width of the terminal. Returns nothing for files and pipes.
std::optional<std::size_t> terminal_width(int descriptor);

/// Returns the lines into which `text` is broken so that each takes at most `width` columns. Lines break at blanks, but not between a number
/// and its unit or beside a sign that stands alone. A longer word is cut, after a slash or comma where there is one.
std::vector<std::string> folded(std::string_view text, std::size_t width);

/// Returns the width of the longest part of `text` that folded() doesn't break without need.
std::size_t unbroken_width(std::string_view text);

/// Returns `text` with each line that is longer than `width` broken at blanks. The parts stand below each other, behind an indentation, the
/// dash of a list or a label. Rows of tables, which begin with a bar, and words that are longer stay whole.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace flopcast::report
