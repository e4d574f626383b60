#pragma once

#include <cstddef>
#include <cstdint>

#include "flopcast/support/page_allocator.hpp"

namespace flopcast {

/// The pages in use of a range of this process's memory. Memory that was never read or written has no page, and reading it would allocate
/// one. Pages that are swapped out count as unused. If the system gives no information, all pages count as in use.
class ResidentPages {
 public:
  ResidentPages(std::uintptr_t begin, std::uintptr_t end);

  [[nodiscard]] bool contain(std::uintptr_t address) const noexcept {
    const std::size_t page = (address - first_) / page_bytes;
    return page >= resident_.size() || (resident_[page] & 1U) != 0;
  }
  /// Returns the end of the page that contains `address`.
  [[nodiscard]] static std::uintptr_t end_of_page(std::uintptr_t address) noexcept { return (address / page_bytes + 1) * page_bytes; }

  static constexpr std::uintptr_t page_bytes = 4096;

 private:
  std::uintptr_t first_;
  PageVector<unsigned char> resident_;
};

}  // namespace flopcast
