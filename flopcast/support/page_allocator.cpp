#include "flopcast/support/page_allocator.hpp"

#include <string.h>
#include <sys/mman.h>

#include <new>

namespace flopcast {
namespace {

constexpr std::size_t min_bytes = std::size_t{64} << 10U;  // half of the size at which malloc begins to ask the system for pages

}  // namespace

void* allocate_pages(std::size_t bytes) {
  if (bytes < min_bytes) {
    return ::operator new(bytes);
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw std::bad_alloc();
  }
  return memory;
}

void release_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < min_bytes) {
    explicit_bzero(memory, bytes);  // memset() before a release would be optimised away
    ::operator delete(memory);
  } else {
    munmap(memory, bytes);
  }
}

}  // namespace flopcast
