#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Wall time. Every message is timed several times, and a system call takes a tenth of a short message's time. Where the system uses the
/// processor's counter itself (x86, clock source tsc), this clock does, too, once its rate has been measured.
class FastWallClock {
 public:
  /// Returns seconds since some moment; never runs backwards.
  [[nodiscard]] static Seconds now() noexcept;
  /// Measures the counter's rate, in two milliseconds. Does nothing where the counter isn't reliable.
  static void calibrate() noexcept;
};

/// Returns the CPU time of the calling thread.
[[nodiscard]] Seconds thread_cpu_time() noexcept;

}  // namespace flopcast::preload::mpi
