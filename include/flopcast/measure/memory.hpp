#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace flopcast::measure {

/// The pages that are real at once. Other pages are a shared page of zeros until something is written to them.
enum class Pages : std::uint8_t { all, written };

/// Private, page-aligned memory from the system, returned with the object.
class Memory {
 public:
  Memory() = default;
  /// Throws environment_error if the memory isn't available.
  explicit Memory(std::int64_t bytes, Pages real = Pages::all);

  [[nodiscard]] std::uintptr_t begin() const noexcept { return reinterpret_cast<std::uintptr_t>(bytes_.get()); }
  [[nodiscard]] std::int64_t size_bytes() const noexcept { return bytes_ ? bytes_.get_deleter().size_bytes : 0; }
  /// Ensures at least `bytes`, with at least these pages real. Contents and address may change.
  void reserve(std::int64_t bytes, Pages real = Pages::all);

 private:
  struct Unmap {
    std::int64_t size_bytes;
    void operator()(std::byte* bytes) const noexcept;
  };
  std::unique_ptr<std::byte, Unmap> bytes_;
  Pages real_ = Pages::all;
};

/// Returns the bytes that can be allocated without swapping, by the estimate of Linux and the limits of the control groups; the largest
/// number if neither is known.
std::int64_t available_memory_bytes();

/// Returns the system's setting of transparent huge pages ("always", "madvise", "never"), which applies to measurements and programs alike;
/// "unknown" if the system has none.
std::string huge_pages_setting();

}  // namespace flopcast::measure
