#include "flopcast/support/descriptor.hpp"

#include <cerrno>

namespace flopcast {

bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace flopcast
