#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/contract/network/step_model.hpp"
#include "flopcast/contract/network/tree_options.hpp"

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

}  // namespace flopcast::contract
