#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::interpose::mpi {

/// Wall time. Every message is timed several times, and asking the system takes as long as a tenth of a short message; where the system
/// itself goes by the processor's counter (x86, clock source tsc) so do we, once its rate has been measured.
class WallClock {
 public:
  /// Seconds since some moment; never runs backwards.
  [[nodiscard]] static Seconds now() noexcept;
  /// Measures the counter's rate, in two milliseconds; nothing where it can't be relied upon.
  static void calibrate() noexcept;
};

}  // namespace flopcast::interpose::mpi
