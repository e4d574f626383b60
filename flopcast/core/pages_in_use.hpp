#pragma once

#include <cstddef>
#include <cstdint>

#include "flopcast/core/own_pages.hpp"

namespace flopcast {

/// Which pages of a stretch of this process's memory hold anything: what was never read or written has no page, and looking at it would take
/// one. What is swapped out counts as not in use. Where the system doesn't tell, all count as in use.
class PagesInUse {
 public:
  PagesInUse(std::uintptr_t begin, std::uintptr_t end);

  [[nodiscard]] bool contain(std::uintptr_t address) const noexcept {
    const std::size_t page = (address - first_) / page_bytes;
    return page >= resident_.size() || (resident_[page] & 1U) != 0;
  }
  /// Where the page of `address` ends.
  [[nodiscard]] static std::uintptr_t end_of_page(std::uintptr_t address) noexcept { return (address / page_bytes + 1) * page_bytes; }

  static constexpr std::uintptr_t page_bytes = 4096;

 private:
  std::uintptr_t first_;
  OwnVector<unsigned char> resident_;
};

}  // namespace flopcast
