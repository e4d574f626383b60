#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Estimates the time of a piece of flopcast's own work that always takes the same time. Reading the clock before and after takes as long
/// as the work, so it is timed now and then, and its usual time is used in between.
class OverheadEstimate {
 public:
  /// Returns the time after work that began at `begin`; `now` reads the clock.
  template <class Now>
  Seconds end(Seconds begin, Now now) {
    constexpr unsigned looked_at = 16;  // times one out of this many
    if (count_++ % looked_at != 0) {
      return begin + usual_;
    }
    const Seconds end = now();
    note(end - begin);
    return end;
  }

 private:
  /// Updates the usual time; limits the effect of interruptions.
  void note(Seconds seconds) {
    constexpr double weight = 0.125;
    usual_ = usual_ == 0 ? seconds : usual_ + weight * (seconds < 2 * usual_ ? seconds - usual_ : usual_);
  }

  unsigned count_ = 0;
  Seconds usual_ = 0;
};

}  // namespace flopcast::preload::mpi
