#pragma once

#include <functional>

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Readings of one process, in seconds since some moment.
struct CoreReading {
  Seconds wall = 0;
  Seconds cpu = 0;      ///< CPU time of all threads
  Seconds waiting = 0;  ///< time in which this thread was ready to run, but had no core
};

/// Time in which a process had no core, or wanted none. A plain record of doubles, since it travels in messages.
struct LostTime {
  Seconds measured = 0;              ///< wall time in all
  Seconds cpu = 0;                   ///< CPU time of all threads
  Seconds without_core = 0;          ///< ready to run, but without a core
  Seconds program_without_core = 0;  ///< the part outside of MPI
  Seconds blocked = 0;  ///< outside of MPI, neither computing nor ready to run: asleep, or waiting for a file or another process
};

/// Measures the lost time of the thread that calls MPI. Reading takes microseconds, so a reading is taken at most every millisecond where
/// the program enters or leaves MPI. A process that loses its core or sleeps is away for longer.
class CoreTime {
 public:
  using Reader = std::function<CoreReading()>;
  /// Returns the present readings of this process and thread. `waiting` is 0 where the system doesn't tell.
  static CoreReading read_system();
  explicit CoreTime(Reader read = read_system) : read_(std::move(read)) {}

  /// Begins to measure; the program's own code is executed.
  void start();
  /// Ends measuring.
  void stop();
  /// Forgets what was measured, and starts.
  void restart() {
    lost_ = {};
    start();
  }
  /// Notes at `wall` that the program calls MPI, or goes on after it. Returns whether a reading was taken.
  bool enter_mpi(Seconds wall) { return pass(wall, true); }
  bool leave_mpi(Seconds wall) { return pass(wall, false); }
  /// Returns the lost time until the latest stop().
  [[nodiscard]] const LostTime& lost() const noexcept { return lost_; }

 private:
  bool pass(Seconds wall, bool ends_program);
  /// Takes a reading and adds what was lost since the latest one.
  void add(bool in_program);

  Reader read_;
  CoreReading latest_;
  Seconds begun_ = 0;  ///< wall time at which the program, or MPI, began to run
  bool runs_ = false;
  LostTime lost_;
};

}  // namespace flopcast::preload::mpi
