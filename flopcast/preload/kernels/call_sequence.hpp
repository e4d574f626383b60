#pragma once

#include <cstdint>

namespace flopcast::preload::mpi {

/// The number of MPI calls of a process, and a hash over them in order. Two runs of a program that did the same have equal values. The
/// struct is trivially copyable, because it travels in messages.
struct CallSequence {
  std::int64_t calls = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const CallSequence&, const CallSequence&) = default;
};

}  // namespace flopcast::preload::mpi
