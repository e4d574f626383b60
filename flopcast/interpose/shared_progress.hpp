#pragma once

#include <atomic>
#include <cstdint>

namespace flopcast::interpose {

/// What a process whose kernels are left out tells flopcast, which waits for its end, in memory that both share. Zeros at first.
struct SharedProgress {
  std::atomic<std::int32_t> process;     ///< its number, once it has called MPI_Init
  std::atomic<std::int32_t> leaves_out;  ///< not 0: its data are no longer the program's, as kernels have been left out
  std::atomic<std::uint64_t> kernels;    ///< that it has met for the first time
  std::atomic<std::uint64_t> calls;      ///< of kernels, messages among them
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::int32_t>::is_always_lock_free);

}  // namespace flopcast::interpose
