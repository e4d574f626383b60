#pragma once

#include <cstddef>
#include <cstdint>

/// This file uses neither exceptions nor the C++ run-time library, because the preloaded library reads tables.
namespace flopcast::protocol {

/// Reads the text of a table from front to back, without allocating memory. After the first error nothing more is read.
class TableReader {
 public:
  explicit TableReader(const char* text) noexcept : at_(text) {}

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool finished() const noexcept { return *at_ == '\0'; }

  bool accept(char expected) noexcept {
    if (!good_ || *at_ != expected) {
      return false;
    }
    ++at_;
    return true;
  }
  /// Returns the next letter and moves on. The text must not be finished.
  char next() noexcept { return *at_++; }
  [[nodiscard]] const char* here() const noexcept { return at_; }
  void expect(char expected) noexcept { good_ = accept(expected) && good_; }
  void require(bool condition) noexcept { good_ = good_ && condition; }

  std::int32_t number() noexcept {
    std::int64_t value = 0;
    const char* start = at_;
    while (*at_ >= '0' && *at_ <= '9' && value < max_number) {
      value = 10 * value + (*at_++ - '0');
    }
    require(at_ != start && value < max_number);
    return static_cast<std::int32_t>(value);
  }

  /// Reads the letters up to the next comma.
  void word(const char*& start, std::size_t& length) noexcept {
    start = at_;
    while (*at_ != '\0' && *at_ != ',' && *at_ != ';') {
      ++at_;
    }
    length = static_cast<std::size_t>(at_ - start);
    expect(',');
  }

 private:
  static constexpr std::int64_t max_number = 1000000000;
  const char* at_;
  bool good_ = true;
};

}  // namespace flopcast::protocol
