#pragma once

#include <cstddef>
#include <cstdint>

namespace flopcast::machine {

/// Memory aligned to huge pages, and lying in them where the system grants them. A page is allocated when it is first written, on the
/// memory node of the thread that writes it.
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
