#pragma once

#include <vector>

#include "flopcast/core/units.hpp"

namespace flopcast::measure {

/// Times of the reference kernel over a session: they tell how fast the machine was when.
///
/// A reference is *slow* if it took 1.2 times the lower quartile of all or longer: others use this core's second hyperthread, or its clock
/// is down. Such moments last for milliseconds to minutes. A clock that wanders by less is normalised.
class Drift {
 public:
  /// `at` must not fall from one call to the next.
  void add(Seconds at, Seconds time);

  /// Whether the last reference before `from` or the first after `to` was slow. Not if either is missing, or if they are over 0.1 s apart:
  /// then they say nothing of the time between them.
  [[nodiscard]] bool is_slow(Seconds from, Seconds to) const;

  [[nodiscard]] bool empty() const noexcept { return times_.empty(); }
  /// Median over the session; 0 of nothing.
  [[nodiscard]] Seconds median_time() const;
  /// Median of the five references nearest to `at`, of those that weren't slow if neither the last before it nor the first after it was;
  /// 0 of nothing.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  [[nodiscard]] std::size_t first_after(Seconds at) const;
  [[nodiscard]] bool is_slow(std::size_t reference) const;
  [[nodiscard]] Seconds calm_time() const;

  std::vector<Seconds> moments_, times_;
  std::vector<Seconds> sorted_;  ///< times
};

}  // namespace flopcast::measure
