#pragma once

#include <vector>

#include "flopcast/core/units.hpp"

namespace flopcast::measure {

/// Times of the reference kernel over a session: they tell how fast the machine was when.
class Drift {
 public:
  /// `at` must not fall from one call to the next.
  void add(Seconds at, Seconds time);

  [[nodiscard]] bool empty() const noexcept { return times_.empty(); }
  /// Median over the session; 0 of nothing.
  [[nodiscard]] Seconds median_time() const;
  /// Median of the five references nearest to `at`; 0 of nothing.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  std::vector<Seconds> moments_, times_;
};

}  // namespace flopcast::measure
