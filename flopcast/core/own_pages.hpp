#pragma once

#include <cstddef>
#include <vector>

namespace flopcast {

/// `bytes` from the system where they are many, else from malloc. Throws std::bad_alloc.
[[nodiscard]] void* allocate_own(std::size_t bytes);
/// What allocate_own(bytes) has given. Zeros are left behind.
void release_own(void* memory, std::size_t bytes) noexcept;

/// Allocator for what may become large inside of a program that isn't ours. malloc gets large blocks from the system itself, but no longer
/// does so for blocks of a size that was once freed: the program's matrices would lie elsewhere than they do without us, and its kernels
/// take another time (mallopt(3), M_MMAP_THRESHOLD). What we free becomes the program's, too: where a message that was left out should have
/// filled it, it must not hold hashes, which look like numbers of any size.
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
