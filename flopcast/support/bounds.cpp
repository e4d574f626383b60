#include "flopcast/support/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace flopcast
