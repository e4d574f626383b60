#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/kernel_model.hpp"

namespace flopcast::bench {

/// Returns the time of unblocked LU without pivoting of order n, predicted from its rank-1 updates alone as in Iakymchuk 2011: the sum over
/// i = 1 ... n-1 of the time of ger with m = n = i. `ger` is a model in one size (m = n) or two. The error is the mean of the calls' errors
/// weighted by their times, because errors of one model are correlated. Throws bad_input unless n >= 2 and the model has one or two sizes.
model::Estimate lu_from_ger(const model::Model& ger, std::int64_t n);

/// Returns ger's share of the flops of unblocked LU of order n (n >= 1): 2 i^2 of each step's 2 i^2 + i.
double ger_share(std::int64_t n);

/// A predicted and a measured total time for one order.
struct Deviation {
  std::int64_t n = 0;
  Seconds predicted = 0, measured = 0;
  /// Returns (predicted - measured) / measured.
  [[nodiscard]] double relative() const { return (predicted - measured) / measured; }
  friend bool operator==(const Deviation&, const Deviation&) = default;
};

}  // namespace flopcast::bench
