#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace flopcast::measure {

/// Which pages of memory are real at once, rather than a shared page of zeros until something is written to them.
enum class Pages : std::uint8_t { all, written };

/// Private memory straight from the system: page aligned, given back with the object.
class Memory {
 public:
  Memory() = default;
  /// Throws environment_error if so much isn't available.
  explicit Memory(std::int64_t bytes, Pages real = Pages::all);

  [[nodiscard]] std::uintptr_t begin() const noexcept { return reinterpret_cast<std::uintptr_t>(bytes_.get()); }
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return bytes_ ? bytes_.get_deleter().size_bytes : 0; }
  /// At least `bytes` afterwards, with these pages real at least; contents and address don't survive.
  void reserve(std::int64_t bytes, Pages real = Pages::all);

 private:
  struct Unmap {
    std::int64_t size_bytes;
    void operator()(std::byte* bytes) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> bytes_;
  Pages real_ = Pages::all;
};

/// Bytes that can be allocated without swapping, as Linux estimates it, and as the control groups allow; the largest number if neither says.
std::int64_t available_memory_bytes();

/// The system's setting of transparent huge pages ("always", "madvise", "never"), which memory of measurements and of programs shares;
/// "unknown" if the system has none.
std::string huge_pages_setting();

}  // namespace flopcast::measure
