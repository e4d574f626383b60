#pragma once

#include <cstddef>
#include <vector>

namespace flopcast {

/// Allocates `bytes`: large blocks from the system, small ones from malloc. Throws std::bad_alloc.
[[nodiscard]] void* allocate_own(std::size_t bytes);
/// Frees memory that allocate_own(bytes) has returned, and leaves zeros behind.
void release_own(void* memory, std::size_t bytes) noexcept;

/// Allocator for large data of flopcast inside of another program. malloc itself takes large blocks from the system, but not those of a
/// size that was once freed (mallopt(3), M_MMAP_THRESHOLD). With malloc the program's matrices would lie elsewhere than without flopcast,
/// and its kernels would take another time. Freed memory becomes the program's, too: where a skipped message should have filled it, it must
/// not contain hashes, which look like numbers of any size.
template <class Element>
struct OwnPages {
  using value_type = Element;  // NOLINT(readability-identifier-naming): the standard's name

  OwnPages() = default;
  template <class Other>
  OwnPages(const OwnPages<Other>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): the standard's requirement

  [[nodiscard]] Element* allocate(std::size_t count) { return static_cast<Element*>(allocate_own(count * sizeof(Element))); }
  void deallocate(Element* memory, std::size_t count) noexcept { release_own(memory, count * sizeof(Element)); }
  template <class Other>
  friend bool operator==(const OwnPages& /*a*/, const OwnPages<Other>& /*b*/) noexcept {
    return true;
  }
};

template <class Element>
using OwnVector = std::vector<Element, OwnPages<Element>>;

}  // namespace flopcast
