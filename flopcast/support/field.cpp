#include "flopcast/support/field.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>

#include "flopcast/support/units.hpp"

namespace flopcast {

std::string path_fault(std::string_view path) {
  constexpr std::size_t max_name = 255;
  if (path.size() > static_cast<std::size_t>(Bounds::max_text)) {
    return fmt::format("a text of {} bytes given, expected {} at most", path.size(), Bounds::max_text);
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (end - begin > max_name) {
      return fmt::format("a file's name of {} bytes given, expected {} at most", end - begin, max_name);
    }
    begin = end + 1;
  }
  return {};
}

void parse_text(std::string_view text, std::string_view what, SizeList& to) { to = parse_sizes(text, what, 1, SizeList::max_size); }

std::string to_text(const SizeList& sizes) {
  std::string text;
  for (std::size_t first = 0; first < sizes.size();) {
    std::size_t end = first + 1;  // behind the evenly spread sizes that begin with the first one
    while (end < sizes.size() && (end == first + 1 || sizes[end] - sizes[end - 1] == sizes[first + 1] - sizes[first])) {
      ++end;
    }
    const bool is_range = end - first > 2;
    text += text.empty() ? "" : ",";
    text +=
        is_range ? fmt::format("{}:{}:{}", sizes[first], sizes[end - 1], sizes[first + 1] - sizes[first]) : fmt::format("{}", sizes[first]);
    first = is_range ? end : first + 1;
  }
  return text;
}

}  // namespace flopcast
