#pragma once

#include <cstdint>

#include "flopcast/selective/time_spent.hpp"

namespace flopcast::selective {

/// Rules that decide whether a kernel is executed. The first one that applies counts; they are listed in their order.
enum class Rule : std::uint8_t {
  everything,        ///< executed: policy full
  chance,            ///< either: policies random and rehearsal
  brief,             ///< executed: deciding takes as long as the kernel
  window,            ///< executed: the path lies in a window
  deviant_time,      ///< executed: the last time was far from the known ones
  implausible_time,  ///< executed: its few times are longer than plausible
  known_everywhere,  ///< skipped: all processes know its time (policy eager)
  known,             ///< skipped: its time is known well enough
  within_budget,     ///< skipped: the error of its time fits the path's tolerance
  predicted,         ///< skipped: other sizes of its routine tell its time well enough
  unseen,            ///< executed: it has no time of this run
  unsure,            ///< executed: its time isn't known well enough
  recheck,           ///< executed: it was skipped many times in a row, and machines change their speed
};

/// Decision about one occurrence of a kernel.
struct ExecutionVerdict {
  bool execute = true;
  Rule rule = Rule::everything;
  Cause cause = Cause::always;  ///< purpose that the time of an execution serves
  friend bool operator==(const ExecutionVerdict&, const ExecutionVerdict&) = default;
};

}  // namespace flopcast::selective
