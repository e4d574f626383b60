#pragma once

#include <cstddef>
#include <vector>

namespace flopcast {

/// Allocates `bytes`: large blocks from the system, small ones from malloc. Throws std::bad_alloc.
[[nodiscard]] void* allocate_pages(std::size_t bytes);
/// Frees memory that allocate_pages(bytes) has returned, and leaves zeros behind.
void release_pages(void* memory, std::size_t bytes) noexcept;

/// Allocator for large data of flopcast inside of another program. malloc itself takes large blocks from the system, but not those of a
/// size that was once freed (mallopt(3), M_MMAP_THRESHOLD). With malloc the program's matrices would lie elsewhere than without flopcast,
/// and its kernels would take another time. Freed memory becomes the program's, too: where a skipped message should have filled it, it must
/// not contain hashes, which look like numbers of any size.
template <class Element>
struct PageAllocator {
  using value_type = Element;  // NOLINT(readability-identifier-naming): the standard's name

  PageAllocator() = default;
  template <class Other>
  PageAllocator(const PageAllocator<Other>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): the standard's requirement

  [[nodiscard]] Element* allocate(std::size_t count) { return static_cast<Element*>(allocate_pages(count * sizeof(Element))); }
  void deallocate(Element* memory, std::size_t count) noexcept { release_pages(memory, count * sizeof(Element)); }
  template <class Other>
  friend bool operator==(const PageAllocator& /*a*/, const PageAllocator<Other>& /*b*/) noexcept {
    return true;
  }
};

template <class Element>
using PageVector = std::vector<Element, PageAllocator<Element>>;

}  // namespace flopcast
