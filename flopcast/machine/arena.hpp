#pragma once

#include <cstddef>
#include <cstdint>

namespace flopcast::machine {

/// Memory aligned to huge pages, in huge pages where the system grants them. Pages become real, on the toucher's memory node, when they are
/// first written.
class Arena {
 public:
  /// Throws environment_error if the system refuses.
  explicit Arena(std::int64_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::byte* mapped_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace flopcast::machine
