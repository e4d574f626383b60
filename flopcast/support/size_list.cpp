#include "flopcast/support/size_list.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "flopcast/support/units.hpp"

namespace flopcast {

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
