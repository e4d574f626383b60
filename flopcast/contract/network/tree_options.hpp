#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// Multiplies two tensors. Tensors are numbered: operands first, then the results of joins in their order.
struct Join {
  int left = 0, right = 0;
  friend bool operator==(const Join&, const Join&) = default;
};

/// Settings of a search for the fastest tree.
struct TreeSearchOptions {
  std::size_t max_exhaustive = 10;   ///< networks of up to this number of operands are searched through completely; 2 to 16
  std::int64_t max_pairs = 500'000;  ///< pairs of connected subsets that are tried in larger networks before random trees
  std::int64_t max_trials = 10'000;  ///< random trees; a search with an infinite time budget depends on the seed alone
  Seconds time_budget = 1;           ///< seconds of searching; a first tree is always made
  double budget_share = 0.05;        ///< the search ends, too, after this share of the best tree's predicted time, but not before min_time
  Seconds min_time = 0.02;
  std::uint64_t seed = 1;
  bool share_products = true;  ///< look for trees in which equal products are made once
  /// Polled often. Once it returns true, the search ends with the best tree that is known.
  std::function<bool()> cancelled = [] { return false; };
};

}  // namespace flopcast::contract
