#pragma once

#include <span>
#include <vector>

#include "flopcast/measure/reference_kernels.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {

/// Times of the reference kernels over a session, which show the speed of the machine over time.
///
/// A reference is *slow* if its product, or the ratio of its solve to its product, took much longer than the lower quartile of all
/// references. Then another program uses this core's second hyperthread, or the clock frequency is low. Such moments last for milliseconds
/// to minutes. Smaller changes of the clock frequency are normalised by the product.
class Drift {
 public:
  /// `quiet_solve` is the ratio of solve to product without disturbances, as known from an earlier session (quiet_solve()); 0: unknown.
  explicit Drift(double quiet_solve = 0) : solve_(quiet_solve) {}

  /// Adds a reference; `at` must not decrease from one call to the next.
  void add(Seconds at, const ReferenceTimes& times);

  /// The relative standard deviation of the products from which on the machine is noisy.
  static constexpr double noisy = 0.05;
  /// Returns the relative standard deviation of equal work's times, estimated from their quartiles, if it says that the machine was noisy;
  /// else 0. Requires a time.
  static double noise_of(std::span<const Seconds> times);
  /// The ratio to the lower quartile from which on a reference is slow.
  static constexpr double slow = 1.2;

  /// Returns the slowness of the last reference before `from` or of the first after `to`, whichever is slower, as a ratio to the lower
  /// quartile of all. Returns 0 if either is missing or they are over 0.1 s apart, because they then carry no information on the time
  /// between them.
  [[nodiscard]] double slowness(Seconds from, Seconds to) const;

  [[nodiscard]] bool empty() const noexcept { return moments_.empty(); }
  /// Returns the lower quartile of the ratio of solve to product; 0 with fewer than eight references or without a solve.
  [[nodiscard]] double quiet_solve() const;
  /// Returns the median product over the session, without slow references; 0 without references. If all are slow, all count.
  [[nodiscard]] Seconds median_time() const;
  /// Returns noise_of() the products since `from`; 0 with fewer than eight references.
  [[nodiscard]] double noise(Seconds from) const;
  /// Returns the relative standard deviation between moments: of the medians of five consecutive products, from the range around their
  /// median in which 95 % of them lie. Returns 0 with fewer than eight references.
  [[nodiscard]] double spread() const;
  /// Returns the median product of the five references nearest to `at`; 0 without references. Slow references are skipped, unless the last
  /// one before `at` or the first one after it is slow.
  [[nodiscard]] Seconds time_near(Seconds at) const;

 private:
  /// A series of numbers and its quiet level: the lower quartile, or `known` if that is less.
  class DriftSeries {
   public:
    explicit DriftSeries(double known = 0) : known_(known) {}
    void add(double value);
    [[nodiscard]] double operator[](std::size_t at) const { return values_[at]; }
    [[nodiscard]] double lower_quartile() const { return sorted_[(sorted_.size() - 1) / 4]; }
    /// Returns the ratio of a value to the quiet level, or 1 if this level is 0.
    [[nodiscard]] double ratio(std::size_t at) const;

   private:
    double known_;
    std::vector<double> values_, sorted_;
  };

  [[nodiscard]] std::size_t first_after(Seconds at) const;
  [[nodiscard]] double slowness(std::size_t reference) const;

  std::vector<Seconds> moments_;
  DriftSeries product_;
  DriftSeries solve_;  ///< ratio of solve to product
};

}  // namespace flopcast::measure
