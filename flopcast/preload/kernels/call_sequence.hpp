#pragma once

#include <cstdint>
#include <initializer_list>

namespace flopcast::preload::mpi {

/// The number of MPI calls of a process, and a hash over them in order. Two runs of a program that did the same have equal values. The
/// struct is trivially copyable, because it travels in messages.
struct CallSequence {
  std::int64_t calls = 0;
  std::uint64_t hash = 0;

  /// Adds a call of routine number `routine` with three values that describe its message, and don't depend on time.
  void add(std::uint32_t routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // as in selective::KernelKeyHash, which takes three times as long
    hash += routine;
    for (const std::int64_t word : {first, second, third}) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * odd;
      hash ^= hash >> 29U;
    }
    ++calls;
  }
  friend bool operator==(const CallSequence&, const CallSequence&) = default;
};

}  // namespace flopcast::preload::mpi
