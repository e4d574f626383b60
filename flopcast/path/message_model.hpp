#pragma once

#include <cstdint>

#include "flopcast/support/units.hpp"

namespace flopcast::path {

/// The patterns of communication that differ in cost.
enum class Pattern : std::uint8_t {
  message,
  barrier,
  broadcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan
};

/// Hockney's model of a message: latency plus bytes over bandwidth.
struct MessageModel {
  Seconds latency = 1e-6;
  double bytes_per_second = 5e9;
  friend bool operator==(const MessageModel&, const MessageModel&) = default;

  /// Time of a communication of `processes`. `bytes` are those of a message; of the whole vector for broadcast, reduce, allreduce, scan and
  /// reduce_scatter; of all processes' parts together for gather, scatter and allgather; of everything that one process sends for alltoall.
  /// The cheaper of the algorithms for short and long vectors counts (Thakur, Rabenseifner and Gropp, "Optimization of collective
  /// communication operations in MPICH", 2005, section 4), without the cost of arithmetic.
  [[nodiscard]] Seconds seconds(Pattern pattern, double bytes, int processes) const;
};

}  // namespace flopcast::path
