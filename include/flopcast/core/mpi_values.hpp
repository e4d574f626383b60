#pragma once

/// Values of MPI runs that users choose or see in results, and that preloaded libraries share.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/field.hpp"
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

namespace flopcast::selective {

/// Reasons for which a kernel was executed.
enum class Cause : std::uint8_t {
  always,  ///< nothing is skipped, or the program may depend on its results
  brief,   ///< deciding takes as long
  window,  ///< the path lies in a window, in which everything is executed
  unseen,  ///< its time was unknown
  unsure,  ///< its time was known too little
};

/// Real time that one process spent in an execution, by purpose, whatever it counts on the path. A plain record of doubles, since it
/// travels in messages.
struct TimeSpent {
  Seconds always = 0, brief = 0, window = 0, unseen = 0, unsure = 0;  ///< computations executed, by their cause
  Seconds preparing = 0;                                              ///< decisions about executed kernels, and making their operands safe
  Seconds skipping = 0;  ///< decisions about skipped computations, and checks of the data that they would have written
  Seconds messages = 0;  ///< data transfer
  Seconds waiting = 0;   ///< waiting for other processes
  Seconds calls = 0;     ///< all calls of MPI: messages, waiting, and flopcast's own work for them
  Seconds program = 0;   ///< the program's code between kernels
  Seconds system = 0;    ///< part of all of these in the system's kernel: mostly page faults
  double page_faults = 0;

  void add_computation(Cause cause, Seconds seconds) noexcept {
    constexpr std::array<Seconds TimeSpent::*, 5> by_cause = {&TimeSpent::always, &TimeSpent::brief, &TimeSpent::window, &TimeSpent::unseen,
                                                              &TimeSpent::unsure};
    this->*by_cause[static_cast<std::size_t>(cause)] += seconds;
  }
  friend bool operator==(const TimeSpent&, const TimeSpent&) = default;
};

}  // namespace flopcast::selective

namespace flopcast::selective {

enum class KernelKind : std::uint32_t { computation, communication, region };

/// Mean and variance of times. A plain record.
using KernelStatistics = Welford;

/// Policies that decide whether a kernel is still executed (Hutter and Solomonik 2021, section IV-B).
enum class Policy : std::uint8_t {
  full,         ///< every kernel is executed
  conditional,  ///< each process decides by its own interval of the mean
  local,        ///< narrowed by how often the process itself has met the kernel
  online,       ///< narrowed by the count along the path that leads to the process at present
  a_priori,     ///< narrowed by the count along the critical path of an earlier full execution
  eager,        ///< decided by the interval of any one process, once its times have been made known to all
  random,       ///< each process decides by chance: for tests that no decision makes a program hang
  rehearsal,  ///< one in eight short computations and long messages, seven in eight short messages, by chance: tests how the program reacts
};

/// Returns the name of a policy on the command line and in documents.
[[nodiscard]] std::string_view to_string(Policy policy);

/// Accuracy from which on a kernel's time counts as known.
struct TimePrecision {
  double tolerance =
      0.1;  ///< relative half-width of the interval (epsilon of Hutter and Solomonik 2021; its figures range over 1 to 1/1024)
  double confidence = 0.95;    ///< confidence of the interval
  std::int64_t min_count = 3;  ///< fewer executions never make a time known: with two the interval of Student's t is mostly chance
};

/// Times of kernels in one execution, and of the same kernels in the executions before it. Sums, so that those of processes can be added.
struct RunTimeRatio {
  Seconds taken = 0, expected = 0;
  friend bool operator==(const RunTimeRatio&, const RunTimeRatio&) = default;
};

}  // namespace flopcast::selective

namespace flopcast::protocol {

/// The clock that the library preloaded into an MPI program uses.
enum class MpiClock : unsigned char {
  automatic,  ///< wall time where every process of a node has a core of its own, CPU time otherwise
  wall,
  cpu,  ///< CPU time of the process for computation, a model for messages
};

}  // namespace flopcast::protocol

template <>
struct flopcast::EnumNames<flopcast::selective::Policy> {
  using Policy = selective::Policy;
  static constexpr std::array names{std::pair{Policy::full, "full"},         std::pair{Policy::conditional, "conditional"},
                                    std::pair{Policy::local, "local"},       std::pair{Policy::online, "online"},
                                    std::pair{Policy::a_priori, "a-priori"}, std::pair{Policy::eager, "eager"},
                                    std::pair{Policy::random, "random"},     std::pair{Policy::rehearsal, "rehearsal"}};
};
