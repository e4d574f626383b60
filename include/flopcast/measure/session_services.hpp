#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {

/// A clock and its cost.
struct Timer {
  std::function<std::int64_t()> ticks;
  Seconds seconds_per_tick = 0;
  Seconds overhead = 0;  ///< time between two readings with nothing in between

  [[nodiscard]] Seconds between(std::int64_t begin, std::int64_t end) const { return static_cast<double>(end - begin) * seconds_per_tick; }
};

/// How processes take turns in measuring (Turn). By default nobody else measures.
struct Turns {
  /// Waits for a turn until `go_on`, which is called now and then, returns false.
  std::function<void(const std::function<bool()>& go_on)> take = [](const std::function<bool()>&) {};
  std::function<void()> end = [] {};
  std::function<bool()> is_wanted = [] { return false; };  ///< returns whether another process waits for this turn to end
};

/// The external functions that a session needs; tests provide their own.
struct SessionServices {
  std::function<kernel::Function(std::string_view routine)> find;  ///< finds a routine; nullptr if no library has it
  std::function<void(int threads)> set_threads;
  Timer wall, cpu;
  std::function<std::int64_t()> disturbances;  ///< returns a count that grows when this thread is preempted or its CPU is taken away
  std::string libraries;                       ///< names of the searched libraries, for messages
  int integer_bytes = 4;                       ///< bytes of the routines' integers: 4 or 8
  Turns turns = {};
};

}  // namespace flopcast::measure
