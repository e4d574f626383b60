#pragma once

#include <vector>

#include "flopcast/core/units.hpp"
#include "flopcast/measure/reference_kernels.hpp"

namespace flopcast::measure {

/// Times of the reference kernels over a session: they tell how fast the machine was when.
///
/// A reference is *slow* if its product, or its solve over its product, took much longer than the lower quartile of all: others use this
/// core's second hyperthread, or its clock is down. Such moments last for milliseconds to minutes. A clock that wanders by less is
/// normalised, by the product.
class Drift {
 public:
  /// `calm_solve`: solve over product while nothing disturbed, as known from elsewhere (calm_solve()); 0: it isn't.
  explicit Drift(double calm_solve = 0) : solve_(calm_solve) {}

  /// `at` must not fall from one call to the next.
  void add(Seconds at, const ReferenceTimes& times);

  /// A reference is slow from this ratio to the lower quartile on.
  static constexpr double slow = 1.2;

  /// The last reference before `from` or the first after `to`, whichever is slower, as a ratio to the lower quartile of all. 0 if either
  /// is missing, or if they are over 0.1 s apart: then they say nothing of the time between them.
  [[nodiscard]] double slowness(Seconds from, Seconds to) const;

  [[nodiscard]] bool empty() const noexcept { return moments_.empty(); }
  /// Lower quartile of solve over product; 0 of a few references, or if there is no solve.
  [[nodiscard]] double calm_solve() const;
  /// Median over the session, of those that weren't slow; 0 of nothing.
  [[nodiscard]] Seconds median_time() const;
  /// Median of the five references nearest to `at`, of those that weren't slow if neither the last before it nor the first after it was;
  /// 0 of nothing.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  /// Numbers, and what they are in a calm moment: their lower quartile, or `known` if that is less.
  class Series {
   public:
    explicit Series(double known = 0) : known_(known) {}
    void add(double value);
    [[nodiscard]] double operator[](std::size_t at) const { return values_[at]; }
    [[nodiscard]] double lower_quartile() const { return sorted_[(sorted_.size() - 1) / 4]; }
    /// Of a value to a calm one; 1 where that is 0.
    [[nodiscard]] double ratio(std::size_t at) const;

   private:
    double known_;
    std::vector<double> values_, sorted_;
  };

  [[nodiscard]] std::size_t first_after(Seconds at) const;
  [[nodiscard]] double slowness(std::size_t reference) const;

  std::vector<Seconds> moments_;
  Series product_;
  Series solve_;  ///< over product
};

}  // namespace flopcast::measure
