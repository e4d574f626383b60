#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast {

/// The state of the machine in which something was timed, or for which times are predicted.
struct MachineState {
  double session = 0;     ///< moment at which the measuring session began, in hours since 1970; 0: not known
  Seconds reference = 0;  ///< time of the reference kernel at a drift of 1, which is its median in that session; 0: not known
  double noise = 0;       ///< relative standard deviation that other programs' load added to a time; 0: the machine was quiet
  /// Relative standard deviation of runs at different moments of the session, from the range in which 95 % of the reference's times lay.
  double spread = 0;
  friend bool operator==(const MachineState&, const MachineState&) = default;
};

/// How far single runs lie from what was measured in one session, as relative standard deviations.
struct RunDeviation {
  double moments = 0;   ///< between moments of a session
  double sessions = 0;  ///< between two sessions that follow each other
  friend bool operator==(const RunDeviation&, const RunDeviation&) = default;
};

/// Returns whether times in two states may be mixed without a model of how kernels respond: the reference kernel's times differ by less than a
/// tenth, or one of them isn't known.
inline bool is_alike(Seconds reference, Seconds other_reference) {
  static constexpr double tolerance = 1.1;
  return reference <= 0 || other_reference <= 0 || (reference < tolerance * other_reference && other_reference < tolerance * reference);
}

}  // namespace flopcast
