#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/algorithms/syntax_tree.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::contract {

/// An algorithm for a contraction on a machine, and what follows from them for every prediction. The three must outlive the context.
struct AlgorithmContext {
  AlgorithmContext(const Algorithm& for_algorithm, const Contraction& of_contraction, const Environment& on_environment);

  const Algorithm& algorithm;
  const Contraction& contraction;
  const Environment& environment;
  Node tree;                      ///< the algorithm's loops, copies and kernel call
  std::vector<std::size_t> path;  ///< position of the kernel call in `tree`
  std::int64_t line_bytes = 64;   ///< bytes of a line of the innermost cache; 64 without measured caches
};

}  // namespace flopcast::contract
