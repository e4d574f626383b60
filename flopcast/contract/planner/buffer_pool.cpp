#include "flopcast/contract/planner/buffer_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "flopcast/support/division.hpp"
#include "flopcast/support/no_fork_scope.hpp"

namespace flopcast::contract {
namespace {

/// Allocates memory at the start of a cache line. Large buffers lie in huge pages if the system has some, which saves page faults, address
/// translations and conflicts in L2. Throws std::bad_alloc.
AlignedMemory allocate(std::int64_t bytes) {
  constexpr std::size_t line = 64, huge_page = std::size_t{2} << 20;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  const std::size_t alignment = wanted >= huge_page ? huge_page : line;
  const std::size_t size = round_up(wanted, alignment);
  AlignedMemory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (alignment == huge_page) {
    static_cast<void>(madvise(memory.get(), size, MADV_HUGEPAGE));  // a hint: small pages work too, only slower
  }
  return memory;
}

}  // namespace

AlignedMemory BufferPool::take() {
  {
    const ForkSafeLock lock(mutex_);
    if (!free_.empty()) {
      AlignedMemory memory = std::move(free_.back());
      free_.pop_back();
      return memory;
    }
  }
  return allocate(bytes_);
}

void BufferPool::give_back(AlignedMemory memory) {
  const ForkSafeLock lock(mutex_);
  free_.push_back(std::move(memory));
}

}  // namespace flopcast::contract
