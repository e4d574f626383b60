#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Time that a process waited in calls of one routine. A plain record, since it is gathered.
struct Wait {
  std::uint32_t routine = no_routine;  ///< number of the routine (kernels/routine_list.hpp)
  std::int32_t awaited = nobody;       ///< rank of the other process in MPI_COMM_WORLD
  Seconds seconds = 0;

  static constexpr std::uint32_t no_routine = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int32_t nobody = -1;  ///< several, or unknown
};

/// The processes for which this process waits, and the calls in which it does.
class Waits {
 public:
  /// Notes at `time` that the program calls MPI.
  void enter(Seconds time) noexcept {
    awaited_ = {};
    since_ = time;
  }
  /// Notes that from here on the call waits for `awaited`.
  void await(std::uint32_t routine, std::int32_t awaited = Wait::nobody) noexcept { awaited_ = {routine, awaited, 0}; }
  /// Adds the time since enter(), or since the latest call of this function, to what the call waits for. Until that is known, the time
  /// stays open.
  void add_until(Seconds time) {
    if (awaited_.routine != Wait::no_routine) {
      add(time - since_);
      since_ = time;
    }
  }
  /// Adds seconds to what the call waits for. Short waits are skipped, since there are many and they don't matter.
  void add(Seconds seconds) {
    constexpr Seconds shortest = 2e-5;
    if (seconds >= shortest && awaited_.routine != Wait::no_routine) {
      all_[key_of(awaited_.routine, awaited_.awaited)] += seconds;
    }
  }
  void forget() noexcept { all_.clear(); }

  /// Returns the longest of all waits; none has no_routine.
  [[nodiscard]] Wait longest() const noexcept {
    Wait longest;
    for (const auto& [key, seconds] : all_) {
      if (seconds > longest.seconds) {
        longest = {static_cast<std::uint32_t>(key >> 32U), static_cast<std::int32_t>(key), seconds};
      }
    }
    return longest;
  }
  /// Returns the seconds of all waits in `routine` for several processes.
  [[nodiscard]] Seconds together(std::uint32_t routine) const noexcept {
    const auto found = all_.find(key_of(routine, Wait::nobody));
    return found != all_.end() ? found->second : 0;
  }

 private:
  static std::uint64_t key_of(std::uint32_t routine, std::int32_t awaited) noexcept {
    return (std::uint64_t{routine} << 32U) | static_cast<std::uint32_t>(awaited);
  }

  std::unordered_map<std::uint64_t, Seconds> all_;  ///< sums for each routine and awaited process
  Wait awaited_;
  Seconds since_ = 0;
};

}  // namespace flopcast::preload::mpi
