#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace flopcast {

/// Allocator that leaves zeros behind. Inside of a program that isn't ours memory that we free becomes the program's: what a message that
/// was left out should have filled must not hold hashes, which look like numbers of any size.
template <class Element>
struct ClearedWhenFreed {
  using value_type = Element;  // NOLINT(readability-identifier-naming): the standard's name

  ClearedWhenFreed() = default;
  template <class Other>
  ClearedWhenFreed(const ClearedWhenFreed<Other>& /*other*/) noexcept {}  // NOLINT(google-explicit-constructor): the standard's requirement

  [[nodiscard]] Element* allocate(std::size_t count) { return std::allocator<Element>().allocate(count); }
  void deallocate(Element* memory, std::size_t count) noexcept {
    std::memset(static_cast<void*>(memory), 0, count * sizeof(Element));  // NOLINT(bugprone-sizeof-expression): elements may be pointers
    asm volatile("" : : "r"(memory) : "memory");                          // compilers drop writes to what is freed
    std::allocator<Element>().deallocate(memory, count);
  }
  template <class Other>
  friend bool operator==(const ClearedWhenFreed& /*a*/, const ClearedWhenFreed<Other>& /*b*/) noexcept {
    return true;
  }
};

template <class Element>
using ClearedVector = std::vector<Element, ClearedWhenFreed<Element>>;

}  // namespace flopcast
