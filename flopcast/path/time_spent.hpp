#pragma once

#include <array>
#include <cstdint>

#include "flopcast/core/units.hpp"

namespace flopcast::path {

/// Why a kernel was executed.
enum class Cause : std::uint8_t {
  always,  ///< nothing is left out, or the program may go by its results
  brief,   ///< asking takes as long
  window,  ///< a stretch of the path that is executed as a whole
  unseen,  ///< nothing was known of its time
  unsure,  ///< too little was known
};

/// Where the time of one process really went in an execution, whatever it counts on the path. A plain record of doubles, since it travels in
/// messages.
struct TimeSpent {
  Seconds always = 0, brief = 0, window = 0, unseen = 0, unsure = 0;  ///< computations executed, by their cause
  Seconds preparing = 0;                                              ///< decisions about what is executed, and its operands made safe
  Seconds leaving_out = 0;  ///< decisions about computations that are left out, and what they would have written looked at
  Seconds messages = 0;     ///< data moved
  Seconds waiting = 0;      ///< for others
  Seconds calls = 0;        ///< all calls of MPI: messages, waiting, and flopcast's own work for them
  Seconds program = 0;      ///< the program's code between kernels
  Seconds system = 0;       ///< of all of these, in the system's kernel: page faults, mostly
  double page_faults = 0;

  void add_computation(Cause cause, Seconds seconds) noexcept {
    constexpr std::array<Seconds TimeSpent::*, 5> by_cause = {&TimeSpent::always, &TimeSpent::brief, &TimeSpent::window, &TimeSpent::unseen,
                                                              &TimeSpent::unsure};
    this->*by_cause[static_cast<std::size_t>(cause)] += seconds;
  }
  friend bool operator==(const TimeSpent&, const TimeSpent&) = default;
};

/// A member of TimeSpent and what it is called in documents.
struct SpentPart {
  const char* name;
  double TimeSpent::*value;
};

/// All members, in their order.
inline constexpr std::array<SpentPart, 13> spent_parts = {{{"always_seconds", &TimeSpent::always},
                                                           {"brief_seconds", &TimeSpent::brief},
                                                           {"window_seconds", &TimeSpent::window},
                                                           {"unseen_seconds", &TimeSpent::unseen},
                                                           {"unsure_seconds", &TimeSpent::unsure},
                                                           {"preparing_seconds", &TimeSpent::preparing},
                                                           {"leaving_out_seconds", &TimeSpent::leaving_out},
                                                           {"messages_seconds", &TimeSpent::messages},
                                                           {"waiting_seconds", &TimeSpent::waiting},
                                                           {"calls_seconds", &TimeSpent::calls},
                                                           {"program_seconds", &TimeSpent::program},
                                                           {"system_seconds", &TimeSpent::system},
                                                           {"page_faults", &TimeSpent::page_faults}}};

}  // namespace flopcast::path
