#pragma once

#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/measure/reference_kernel.hpp"

namespace flopcast::measure {

/// Times of the reference kernels over a session: they tell how fast the machine was when.
///
/// A reference is *slow* if one of its kernels took much longer than the lower quartile of all: others use this core's second hyperthread,
/// or its clock is down. Such moments last for milliseconds to minutes. A clock that wanders by less is normalised, by the product.
class Drift {
 public:
  /// `at` must not fall from one call to the next.
  void add(Seconds at, const ReferenceTimes& times);

  /// A reference is slow from this ratio to the lower quartile on.
  static constexpr double slow = 1.2;

  /// The last reference before `from` or the first after `to`, whichever is slower, as a ratio to the lower quartile of all. 0 if either
  /// is missing, or if they are over 0.1 s apart: then they say nothing of the time between them.
  [[nodiscard]] double slowness(Seconds from, Seconds to) const;

  [[nodiscard]] bool empty() const noexcept { return moments_.empty(); }
  /// Median over the session, of those that weren't slow; 0 of nothing.
  [[nodiscard]] Seconds median_time() const;
  /// Median of the five references nearest to `at`, of those that weren't slow if neither the last before it nor the first after it was;
  /// 0 of nothing.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  /// Times of one kernel.
  class Series {
   public:
    void add(Seconds time);
    [[nodiscard]] Seconds operator[](std::size_t reference) const { return times_[reference]; }
    /// To the lower quartile of all; 1 where that is 0.
    [[nodiscard]] double ratio(std::size_t reference) const;

   private:
    std::vector<Seconds> times_, sorted_;
  };

  [[nodiscard]] std::size_t first_after(Seconds at) const;
  [[nodiscard]] double slowness(std::size_t reference) const;

  std::vector<Seconds> moments_;
  Series product_, solve_;
};

}  // namespace flopcast::measure
