#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "flopcast/contract/network/step_model.hpp"
#include "flopcast/contract/network/tree_options.hpp"

namespace flopcast::contract {

/// The end of a search.
struct SearchedTree {
  std::vector<Join> joins;
  Seconds seconds = 0;  ///< with shared products counted once, and with StepModel::penalty()
  bool is_exhaustive =
      false;                ///< no other tree was left out, except for those with shared products or, beyond max_exhaustive, outer products
  std::int64_t trials = 0;  ///< random trees that were tried
};

/// Finds a fast tree for the model's terms. Seconds are those of `elapsed()`, which counts from the start of the search.
SearchedTree search_tree(const StepModel& model, const TreeSearchOptions& options, const std::function<Seconds()>& elapsed);

}  // namespace flopcast::contract
