#pragma once

#include <algorithm>

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Time that the program polls MPI without success. Such a call counts as waiting, until a poll succeeds.
class Polling {
 public:
  /// Notes that the current call is an unsuccessful poll.
  void note_vain_call() noexcept { in_vain_ = true; }
  /// Returns whether the current call is an unsuccessful poll.
  [[nodiscard]] bool is_in_vain() const noexcept { return in_vain_; }
  /// Ends a call that took `seconds`, which count if the call was an unsuccessful poll.
  void end_call(Seconds seconds) noexcept {
    seconds_ += in_vain_ ? seconds : 0;
    in_vain_ = false;
  }
  /// Returns the seconds of unsuccessful polls so far.
  [[nodiscard]] Seconds seconds() const noexcept { return seconds_; }
  void forget() noexcept { seconds_ = counted_ = 0; }

  struct Ended {
    Seconds under_way = 0;  ///< the part of the polling that counts as communication
    Seconds waited = 0;     ///< the part before, which was waiting for the sender
  };
  /// Ends polling: the awaited message has come. It was under way since seconds() was `since`; if that is unknown (negative), for at most
  /// `usual` seconds.
  [[nodiscard]] Ended end(Seconds since, Seconds usual) noexcept {
    const Seconds open = seconds_ - counted_;
    const Seconds under_way = since < 0 ? std::min(open, usual) : std::clamp(seconds_ - since, 0.0, open);
    counted_ = seconds_;
    return {under_way, open - under_way};
  }

 private:
  bool in_vain_ = false;
  Seconds seconds_ = 0;
  Seconds counted_ = 0;  ///< the part of seconds_ that has been accounted for
};

}  // namespace flopcast::preload::mpi
