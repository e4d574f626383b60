#pragma once

#include <cstdint>

namespace flopcast::interpose::mpi {

/// How many calls of MPI a process made, and a hash over what they were, in order. Two runs of a program that did the same have the same. A
/// plain record: it travels in messages.
struct CallSequence {
  std::int64_t calls = 0;
  std::uint64_t hash = 0;
  friend bool operator==(const CallSequence&, const CallSequence&) = default;
};

}  // namespace flopcast::interpose::mpi
