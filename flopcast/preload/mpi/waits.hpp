#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "flopcast/protocol/mpi_profile.hpp"
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

/// The waits of a process for another one at one place of the program.
struct WaitPlace {
  std::uint32_t routine = Wait::no_routine;
  std::int32_t awaited = Wait::nobody;
  MpiWaitKind kind = MpiWaitKind::collective;
  std::uint32_t region = 0;    ///< number of the open region; 0: none
  const void* site = nullptr;  ///< return address of the call of MPI; nullptr: unknown
  auto operator<=>(const WaitPlace&) const = default;
};

/// The processes for which this process waits, and the calls in which it does.
class Waits {
 public:
  struct Sum {
    Seconds seconds = 0;
    std::int64_t count = 0;
  };

  /// Notes at `time` that the program calls MPI from `site`.
  void enter(Seconds time, const void* site = nullptr) noexcept {
    awaited_ = {.region = awaited_.region, .site = site};
    since_ = time;
  }
  /// Notes the outermost region that is open from here on; 0: none.
  void note_region(std::uint32_t region) noexcept { awaited_.region = region; }
  /// Notes that from here on the call waits for `awaited`.
  void await(std::uint32_t routine, std::int32_t awaited = Wait::nobody, MpiWaitKind kind = MpiWaitKind::collective) noexcept {
    awaited_.routine = routine;
    awaited_.awaited = awaited;
    awaited_.kind = kind;
  }
  /// Returns the place of the current call, with the latest process for which it waits.
  [[nodiscard]] const WaitPlace& place() const noexcept { return awaited_; }
  /// Adds the time since enter(), or since the latest call of this function, to what the call waits for. Until that is known, the time
  /// stays open.
  void add_until(Seconds time) {
    if (awaited_.routine != Wait::no_routine) {
      add(time - since_);
      since_ = time;
    }
  }
  /// Adds seconds to what the call waits for. Short waits are skipped, since there are many and they don't matter. Beyond `max_places` waits
  /// count for several processes at no known place.
  void add(Seconds seconds) {
    constexpr Seconds shortest = 2e-5;
    constexpr std::size_t max_places = 4096;
    if (seconds < shortest || awaited_.routine == Wait::no_routine) {
      return;
    }
    const bool has_room = all_.size() < max_places || all_.count(awaited_) != 0;
    Sum& sum = all_[has_room ? awaited_ : WaitPlace{.routine = awaited_.routine, .kind = awaited_.kind}];
    sum.seconds += seconds;
    ++sum.count;
  }
  void forget() noexcept { all_.clear(); }

  /// Returns the longest of all waits by routine and awaited process; none has no_routine.
  [[nodiscard]] Wait longest() const {
    std::map<std::pair<std::uint32_t, std::int32_t>, Seconds> sums;
    Wait longest;
    for (const auto& [place, sum] : all_) {
      const Seconds seconds = sums[{place.routine, place.awaited}] += sum.seconds;
      if (seconds > longest.seconds) {
        longest = {place.routine, place.awaited, seconds};
      }
    }
    return longest;
  }
  /// Returns the seconds of all waits in `routine` for several processes.
  [[nodiscard]] Seconds together(std::uint32_t routine) const noexcept {
    Seconds seconds = 0;
    for (const auto& [place, sum] : all_) {
      seconds += place.routine == routine && place.awaited == Wait::nobody ? sum.seconds : 0;
    }
    return seconds;
  }
  /// Returns the places with most waiting, at most `count`, by falling time.
  [[nodiscard]] std::vector<std::pair<WaitPlace, Sum>> longest_places(std::size_t count) const {
    std::vector<std::pair<WaitPlace, Sum>> places(all_.begin(), all_.end());
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
    places.resize(std::min(count, places.size()));
    return places;
  }

 private:
  std::map<WaitPlace, Sum> all_;
  WaitPlace awaited_;
  Seconds since_ = 0;
};

}  // namespace flopcast::preload::mpi
