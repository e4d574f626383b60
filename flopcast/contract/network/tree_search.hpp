#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "flopcast/contract/network/contraction_tree.hpp"
#include "flopcast/contract/network/step_model.hpp"

namespace flopcast::contract {

/// An order of pairwise steps, and its time.
struct JoinOrder {
  std::vector<Join> joins;
  Seconds seconds = 0;
};

/// Bounds of a search.
struct SubsetSearchBounds {
  Seconds below = 0;                                   ///< only orders that take less time count
  std::int64_t max_pairs = 0;                          ///< the search gives up after this number of pairs of subsets
  std::function<bool()> stops = [] { return false; };  ///< polled every few thousand pairs; the search gives up if the result is true
};

enum class SearchEnd : std::uint8_t {
  found,    ///< the fastest order was found
  nothing,  ///< no order takes less time than the bound
  gave_up
};

/// Finds the fastest order by dynamic programming over all subsets of the tensors, outer products included. Suits up to a dozen tensors, 16
/// at most: n tensors have 3^n / 2 pairs of subsets.
SearchEnd search_all_subsets(const SubNetwork& network, const SubsetSearchBounds& bounds, JoinOrder& order);

/// Finds the fastest order without outer products, by dynamic programming over connected subsets of up to 64 tensors. Pairs of connected
/// subsets are enumerated as for join orders in databases (Moerkotte and Neumann, VLDB 2006). Subsets whose time reaches the bound are left
/// out, with all pairs that contain them. Requires a network whose tensors are connected by labels.
SearchEnd search_connected_subsets(const SubNetwork& network, const SubsetSearchBounds& bounds, JoinOrder& order);

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

/// The end of a search.
struct SearchedTree {
  std::vector<Join> joins;
  Seconds seconds = 0;  ///< with shared products counted once, and with StepModel::penalty()
  bool is_exhaustive =
      false;                ///< no other tree was skipped, except for those with shared products or, beyond max_exhaustive, outer products
  std::int64_t trials = 0;  ///< random trees that were tried
};

/// Finds a fast tree for the model's terms. Seconds are those of `elapsed()`, which counts from the start of the search.
SearchedTree search_tree(const StepModel& model, const TreeSearchOptions& options, const std::function<Seconds()>& elapsed);

}  // namespace flopcast::contract
