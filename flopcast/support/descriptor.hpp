#pragma once

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "flopcast/support/units.hpp"

namespace flopcast {

/// An open file that is closed at the end of the scope. A negative number stands for no file.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const noexcept { return number_; }
  /// Closes the file now.
  void close() noexcept {
    if (number_ >= 0) {
      ::close(std::exchange(number_, -1));
    }
  }

 private:
  int number_;
};

/// The ends of a pipe.
struct Pipe {
  Descriptor read, write;
};

/// Makes a pipe, which programs that this process starts don't inherit. Throws environment_error.
[[nodiscard]] Pipe make_pipe();

/// Writes all of `text` to an open file or pipe. Returns false, with errno set, if that fails.
bool write_all(int file, std::string_view text) noexcept;

/// Reads from a pipe until its other end is closed, or from a file to its end. Returns nothing if that takes longer than `limit`.
[[nodiscard]] std::optional<std::string> read_to_end(int file, std::optional<Seconds> limit = std::nullopt);

}  // namespace flopcast
