#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "flopcast/contract/network/step_model.hpp"
#include "flopcast/contract/network/subset_search.hpp"

namespace flopcast::contract {

/// Source of reproducible random numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : bits_(seed) {}
  /// Returns a number in (0, 1).
  double fraction() { return (static_cast<double>(bits_() >> 11) + 0.5) * 0x1p-53; }
  /// Returns a number below `count`, which is at least 1.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(bits_() % count); }

 private:
  std::mt19937_64 bits_;
};

struct GreedyOptions {
  double weight_of_parts = 1;  ///< factor for the elements of A and B, which count against those of their product
  double temperature = 0;      ///< spread of random additions to the logarithms by which pairs are compared
  bool by_time = false;        ///< compare pairs by the time of their steps instead of by elements
};

/// Joins again and again the pair of tensors with a common label that scores best: whose product is small compared with its parts, or whose
/// step takes little time. Parts that share no label are joined last, small ones first.
std::vector<Join> greedy_order(const StepModel& model, const GreedyOptions& options, Dice& dice);

/// Returns joins from the outside in: the terms are cut into two parts with few and short common labels, and these again. Parts of up to
/// `max_tensors` terms are joined in their fastest order.
std::vector<Join> order_by_bisection(const StepModel& model, std::size_t max_tensors, Dice& dice);

}  // namespace flopcast::contract
