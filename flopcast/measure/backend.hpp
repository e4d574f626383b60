#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "flopcast/core/units.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::measure {

/// A clock with its cost.
struct Timer {
  std::function<std::int64_t()> ticks;
  Seconds seconds_per_tick = 0;
  Seconds overhead = 0;  ///< between two readings with nothing in between

  [[nodiscard]] Seconds between(std::int64_t begin, std::int64_t end) const { return static_cast<double>(end - begin) * seconds_per_tick; }
};

/// What a session needs of the world outside; tests bring their own.
struct Backend {
  std::function<kernel::Function(std::string_view routine)> find;  ///< nullptr if no library has the routine
  std::function<void(int threads)> set_threads;
  Timer wall, cpu;
  std::function<std::int64_t()> disturbances;  ///< a count that grows when this thread is preempted or its CPU is taken away
  std::string libraries;                       ///< which were searched, for messages
};

}  // namespace flopcast::measure
