#pragma once

#include <atomic>
#include <cstdint>

namespace flopcast::protocol {

/// Progress of a process whose kernels are left out, in memory that it shares with flopcast, which waits for its end. All values start at
/// zero.
struct SharedProgress {
  std::atomic<std::int32_t> process;     ///< its process number, once it has called MPI_Init
  std::atomic<std::int32_t> leaves_out;  ///< not 0: kernels have been left out, so that its data are no longer the program's
  std::atomic<std::uint64_t> kernels;    ///< kernels that it has met for the first time
  std::atomic<std::uint64_t> calls;      ///< calls of kernels and messages
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::int32_t>::is_always_lock_free);

}  // namespace flopcast::protocol
