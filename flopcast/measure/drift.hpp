#pragma once

#include <vector>

#include "flopcast/core/units.hpp"

namespace flopcast::measure {

/// Times of the reference kernel over a session: they tell how fast the machine was when.
///
/// A reference is *slow* if it took much longer than the lower quartile of all: others use this core's second hyperthread, or its clock is
/// down. Such moments last for milliseconds to minutes. A clock that wanders by less is normalised.
class Drift {
 public:
  /// `at` must not fall from one call to the next.
  void add(Seconds at, Seconds time);

  /// A reference is slow from this ratio to the lower quartile on.
  static constexpr double slow = 1.2;

  /// The last reference before `from` or the first after `to`, whichever took longer, as a ratio to the lower quartile of all. 0 if either
  /// is missing, or if they are over 0.1 s apart: then they say nothing of the time between them.
  [[nodiscard]] double slowness(Seconds from, Seconds to) const;

  [[nodiscard]] bool empty() const noexcept { return times_.empty(); }
  /// Median over the session, of those that weren't slow; 0 of nothing.
  [[nodiscard]] Seconds median_time() const;
  /// Median of the five references nearest to `at`, of those that weren't slow if neither the last before it nor the first after it was;
  /// 0 of nothing.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  [[nodiscard]] std::size_t first_after(Seconds at) const;
  [[nodiscard]] Seconds calm_time() const;
  [[nodiscard]] double slowness(std::size_t reference) const;

  std::vector<Seconds> moments_, times_;
  std::vector<Seconds> sorted_;  ///< times
};

}  // namespace flopcast::measure
