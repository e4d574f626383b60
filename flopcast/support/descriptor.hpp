#pragma once

#include <unistd.h>

#include <string_view>

namespace flopcast {

/// An open file that is closed at the end of the scope. A negative number stands for no file.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

/// Writes all of `text` to an open file or pipe. Returns false, with errno set, if that fails.
bool write_all(int file, std::string_view text) noexcept;

}  // namespace flopcast
