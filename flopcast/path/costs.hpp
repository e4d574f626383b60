#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "flopcast/support/units.hpp"

namespace flopcast::path {

/// Costs of a chain of computations and communications. A plain record of doubles, since it travels in messages.
struct Costs {
  Seconds time = 0;           ///< the sum of the next three
  Seconds computation = 0;    ///< outside of MPI
  Seconds communication = 0;  ///< data transfer after everybody concerned has arrived
  Seconds idle = 0;           ///< waiting that could not be attributed to another process's work
  double supersteps = 0;      ///< synchronisations: blocking communications, and waits that completed some operation
  double words = 0;           ///< 8-byte words moved by this process
  double flops = 0;           ///< flops of kernels that the catalogue knows

  Costs& operator+=(const Costs& other) noexcept {  // written out, as in greatest()
    time += other.time;
    computation += other.computation;
    communication += other.communication;
    idle += other.idle;
    supersteps += other.supersteps;
    words += other.words;
    flops += other.flops;
    return *this;
  }
  friend bool operator==(const Costs&, const Costs&) = default;
};

/// Returns the greater value of each metric. Written out, since it is computed for every message, and a loop over the members takes twice
/// as long.
inline Costs greatest(const Costs& a, const Costs& b) noexcept {
  return {.time = std::max(a.time, b.time),
          .computation = std::max(a.computation, b.computation),
          .communication = std::max(a.communication, b.communication),
          .idle = std::max(a.idle, b.idle),
          .supersteps = std::max(a.supersteps, b.supersteps),
          .words = std::max(a.words, b.words),
          .flops = std::max(a.flops, b.flops)};
}

}  // namespace flopcast::path
