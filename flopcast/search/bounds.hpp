#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/statistics.hpp"

/// Confidence bounds of medians in races. An *A/A difference* is the difference between two evaluations of one configuration, which
/// only noise makes.
namespace flopcast::search {

/// Returns the largest i for which the i-th smallest of n values exceeds the distribution's median with probability at most alpha,
/// or 0 if no such i exists. The bound inverts the sign test and assumes nothing about the distribution.
std::size_t sign_rank(std::size_t n, double alpha);

/// Returns the largest i for which the lower bound holds: the i-th smallest of n values, minus the `margin`-th largest of `aa` absolute
/// A/A differences, exceeds the values' median with probability at most alpha. Returns 0 if no such i exists. Assumption: the values minus
/// their median have the distribution of the A/A differences, which may be any distribution that is symmetric about 0.
std::size_t calibrated_rank(std::size_t n, std::size_t aa, std::size_t margin, double alpha);

/// Returns the smallest number of A/A pairs for which calibrated_rank(n, aa, margin, alpha) is above 0, or `most` + 1 if `most` of them
/// are too few.
std::size_t min_aa_pairs(std::size_t n, std::size_t margin, double alpha, std::size_t most);

/// Returns the largest i for which the i-th smallest of the n N differences between n values and N A/A differences exceeds the values'
/// median with probability at most alpha. Returns 0 if no such i exists. Assumption: the values have the distribution of the A/A
/// differences, shifted. The bound inverts the rank sum test of Mann and Whitney; with enough values and A/A differences it is the sharpest of the
/// three.
std::size_t shift_rank(std::size_t n, std::size_t aa, double alpha);

/// Returns the first round in which the look after that of `round` may be taken. Looks are taken at geometric intervals, because each look
/// spends error probability.
std::int64_t next_look_round(std::int64_t round);

/// Returns the share of the error probability that the first `looks` looks spend. The shares are harmonic, so that late looks, which decide
/// between near-ties, keep some. All looks that fit into these rounds, and one more for a result in between, spend 1.
double share_of_looks(std::int64_t looks, std::int64_t min_rounds, std::int64_t max_rounds);

/// The ranks of the values that bound a median from below. They are chosen before any value is seen.
struct BoundRanks {
  std::size_t sign = 0;        ///< the sign-th smallest value; 0: none
  std::size_t shift = 0;       ///< the shift-th smallest difference between a value and an A/A difference; 0: none
  std::size_t calibrated = 0;  ///< the calibrated-th smallest value less the margin-th largest absolute A/A difference; 0: none
  std::size_t margin = 0;

  /// Returns whether at least one of the three bounds exists.
  [[nodiscard]] bool tells() const noexcept { return sign > 0 || shift > 0 || calibrated > 0; }
};
/// Returns the ranks to use for n values and `aa` A/A differences: the sign test and one test that uses these differences, each at level alpha /
/// 2. If only one of the tests exists, it has level alpha. A bound that a single disturbed pair could spoil is never chosen: calibrated
/// ranks use a margin of at least 2, shifts lie above n.
BoundRanks bound_ranks(std::size_t n, std::size_t aa, double alpha);

/// Returns the largest of the bounds that `ranks` defines, or -infinity if it defines none. `ranks` must belong to the same numbers of
/// values and A/A differences.
double median_lower_bound(std::vector<double> values, std::span<const double> aa, const BoundRanks& ranks);

/// Returns a number that exceeds the median of the values' distribution with probability at most alpha, or -infinity if there are too
/// few values.
double median_lower_bound(std::vector<double> values, std::span<const double> aa, double alpha);

/// Returns an interval that misses the median with probability at most alpha, by the sign test. Both ends are infinite if there are too
/// few values.
Interval sign_interval(const std::vector<double>& values, double alpha);

}  // namespace flopcast::search
