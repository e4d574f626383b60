#pragma once

#include "flopcast/support/units.hpp"

namespace flopcast::interpose::mpi {

/// How long a piece of our own work takes that is always the same. A look at the clock before and after it takes as long as the work, so
/// it is timed now and then, and taken for as long as it usually is in between.
class OwnWork {
 public:
  /// The time after work that was begun at `begin`; `now` looks at the clock.
  template <class Now>
  Seconds end(Seconds begin, Now now) {
    constexpr unsigned looked_at = 16;  // one in so many
    if (count_++ % looked_at != 0) {
      return begin + usual_;
    }
    const Seconds end = now();
    note(end - begin);
    return end;
  }

 private:
  /// What was interrupted isn't usual.
  void note(Seconds seconds) {
    constexpr double weight = 0.125;
    usual_ = usual_ == 0 ? seconds : usual_ + weight * (seconds < 2 * usual_ ? seconds - usual_ : usual_);
  }

  unsigned count_ = 0;
  Seconds usual_ = 0;
};

}  // namespace flopcast::interpose::mpi
