#pragma once

#include <array>
#include <cstdint>

#include "flopcast/support/units.hpp"

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
