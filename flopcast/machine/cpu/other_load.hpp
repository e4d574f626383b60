#pragma once

#include <cstdint>
#include <optional>

#include "flopcast/support/units.hpp"

namespace flopcast::machine {

/// Returns the CPU time of this process (RUSAGE_SELF) or of its children that have ended (RUSAGE_CHILDREN).
Seconds cpu_seconds(int who);

/// Returns the peak of resident memory of this process (RUSAGE_SELF), or of the largest of its children that have ended (RUSAGE_CHILDREN),
/// which have at least what this process had when it started them.
std::int64_t peak_resident_bytes(int who);

/// Times of all CPUs together since the machine started, in steps of 10 ms.
struct MachineTimes {
  Seconds busy = 0;    ///< CPU time of all processes and interrupts
  Seconds stolen = 0;  ///< time that the hypervisor took
};
/// Returns nothing if the system doesn't say. A call takes tens of microseconds.
std::optional<MachineTimes> machine_times();

/// Load of the machine by other processes than this one and its children. Under such a load wall times are of little use.
class OtherLoad {
 public:
  /// Number of cores kept busy by others from which on the user is warned. flopcast's own recorder, which works in turns with the program,
  /// takes less.
  static constexpr double much = 0.5;
  /// Share of a core below which this process's children aren't the measured processes: a launcher may have others start them.
  static constexpr double launcher_share = 0.2;

  OtherLoad();

  /// Returns the average number of cores that others have kept busy since the constructor, including other machines of the host. Within
  /// half a second, returns the number of other threads that wanted a core both then and now, which says nothing about other machines.
  /// Returns nothing if the system doesn't say, or if this process and its children took less than `min_share` of a core. A process that
  /// measures in itself counts with any share: a small one means that others took the cores.
  [[nodiscard]] std::optional<double> cores(double min_share = 0) const;

 private:
  /// Times in seconds.
  struct LoadReading {
    std::optional<double>
        machine;     ///< CPU time of all processes, and what other machines of the host took; nothing if the system doesn't say
    double own = 0;  ///< CPU time of this process and of children that have ended
    double wall = 0;
    double others = 0;  ///< threads that run or wait for a core, without the calling one
  };
  [[nodiscard]] static LoadReading now();

  LoadReading begin_;
};

}  // namespace flopcast::machine
