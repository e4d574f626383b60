#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace flopcast::contract {

struct FreeMemory {
  void operator()(std::byte* memory) const noexcept { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::byte, FreeMemory>;

/// Buffers of one size that earlier runs gave back. Fresh memory of this size would cost page faults in every run. Several threads may use
/// a pool at once.
class BufferPool {
 public:
  explicit BufferPool(std::int64_t bytes) : bytes_(bytes) {}
  /// Returns a buffer at the start of a cache line. Throws std::bad_alloc.
  AlignedMemory take();
  void give_back(AlignedMemory memory);

 private:
  std::int64_t bytes_;
  std::mutex mutex_;
  std::vector<AlignedMemory> free_;
};

}  // namespace flopcast::contract
