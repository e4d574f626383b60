#pragma once

#include <algorithm>
#include <utility>

#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Time that the program polls MPI without success. Such a call counts as waiting, until a poll succeeds. Timing a poll takes longer than the
/// poll, so most polls of a series aren't timed. They count with the time of a timed one.
class Polling {
 public:
  /// Returns whether a poll that begins now goes untimed, and counts the poll if so: two timed polls before were unsuccessful, and few polls
  /// have gone untimed since.
  [[nodiscard]] bool goes_untimed() noexcept {
    constexpr int timed_one_in = 16;
    if (usual_ <= 0 || untimed_ >= timed_one_in - 1) {
      return false;
    }
    ++untimed_;
    return true;
  }
  /// Ends a series of untimed polls, and returns their seconds, which count as unsuccessful polls: at most `limit`.
  [[nodiscard]] Seconds take_untimed(Seconds limit) noexcept {
    const Seconds polled = std::min(limit, std::exchange(untimed_, 0) * usual_);
    seconds_ += polled;
    return polled;
  }
  /// Notes that the current call is an unsuccessful poll.
  void note_vain_call() noexcept { in_vain_ = true; }
  /// Returns whether the current call is an unsuccessful poll.
  [[nodiscard]] bool is_in_vain() const noexcept { return in_vain_; }
  /// Ends a call that took `seconds`, which count if the call was an unsuccessful poll.
  void end_call(Seconds seconds) noexcept {
    const Seconds polled = std::exchange(in_vain_, false) ? seconds : 0;
    seconds_ += polled;
    usual_ = std::min(polled, std::exchange(latest_, polled));  // one that was interrupted doesn't count
  }
  /// Returns the seconds of unsuccessful polls so far.
  [[nodiscard]] Seconds seconds() const noexcept { return seconds_; }
  void forget() noexcept { *this = {}; }

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
  int untimed_ = 0;     ///< polls since the last timed call
  Seconds latest_ = 0;  ///< time of the last call, if it was an unsuccessful poll
  Seconds usual_ = 0;   ///< time of a poll; 0: no series is under way
  Seconds seconds_ = 0;
  Seconds counted_ = 0;  ///< the part of seconds_ that has been accounted for
};

}  // namespace flopcast::preload::mpi
