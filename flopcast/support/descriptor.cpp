#include "flopcast/support/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the time left for poll(), in milliseconds; -1 for no limit.
int milliseconds_left(std::optional<Clock::time_point> deadline) {
  if (!deadline) {
    return -1;
  }
  constexpr double max_wait = 1e9;
  const std::chrono::duration<double, std::milli> left = *deadline - Clock::now();
  return left.count() <= 0 ? 0 : static_cast<int>(std::min(std::ceil(left.count()), max_wait));
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw environment_error("can't make a pipe: {}", std::strerror(errno));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

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

std::optional<std::string> read_to_end(int file, std::optional<Seconds> limit) {
  std::optional<Clock::time_point> deadline;
  if (limit) {
    deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*limit));
  }
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    pollfd waiting{file, POLLIN, 0};
    const int wait = milliseconds_left(deadline);
    if (wait == 0 || ::poll(&waiting, 1, wait) == 0) {
      return std::nullopt;
    }
    const ssize_t count = waiting.revents != 0 ? ::read(file, buffer.data(), buffer.size()) : -1;
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return text;
    }
    text.append(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

}  // namespace flopcast
