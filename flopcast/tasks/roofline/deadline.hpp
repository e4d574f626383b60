#pragma once

#include <functional>
#include <utility>

#include "flopcast/support/units.hpp"

namespace flopcast {

/// The time by which measuring has to end, on a clock.
class Deadline {
 public:
  Deadline(std::function<Seconds()> now, Seconds until) : now_(std::move(now)), until_(until) {}

  [[nodiscard]] Seconds left() const { return until_ - now_(); }
  [[nodiscard]] bool is_over() const { return left() <= 0; }
  /// Returns a deadline after the share `part` of the time that is left.
  [[nodiscard]] Deadline share(double part) const {
    const Seconds now = now_();
    return {now_, now + part * (until_ - now)};
  }
  [[nodiscard]] Seconds now() const { return now_(); }

 private:
  std::function<Seconds()> now_;
  Seconds until_;
};

}  // namespace flopcast
