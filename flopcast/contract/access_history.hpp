#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/syntax_tree.hpp"

namespace flopcast::contract {

/// What happened to one operand of a call before it (paper 002, sections 3.2 and 3.3).
struct OperandHistory {
  Slice slice;
  std::int64_t bytes = 0;           ///< of the slice
  std::int64_t distance_bytes = 0;  ///< sum of what was touched since its last access
  bool prefetched = false;
  bool shares_lines = false;  ///< prefetched because the surrounding loop walks along the contiguous index: several iterations share a line
  std::int64_t prefetch_distance_bytes = 0;  ///< touched since the prefetching
  std::int64_t prefetch_bytes = 0;           ///< of the slice, that prefetching has brought: at most a few lines along the contiguous index

  /// Nothing of the operand is left to load.
  [[nodiscard]] bool is_wholly_prefetched() const { return prefetched && prefetch_bytes >= bytes; }
};

/// Bytes touched since `slice` of the call at `path` was last accessed, by going backwards through the tree (section 3.2, three cases):
/// past what stands before in the body, and up a loop at a time. A loop across which the slice stays the same touched it in its previous
/// iteration; otherwise all that the loop touches is joined across it and the search goes on outside. The root stands for a repeated
/// execution of the whole.
///
/// `first_of` > 0 asks for the first iteration of that many innermost loops (section 3.5): the search starts at the outermost of these,
/// having collected all that the loop touches.
std::int64_t access_distance(const Node& root, const std::vector<std::size_t>& path, const Slice& slice, const Contraction& contraction,
                             std::size_t first_of = 0);

/// History of every operand of the call at `path`, in the order of places; one per tensor that it touches. Prefetching (section 3.3) is
/// looked for where `first_of` is 0: the operand varies across the loop directly around, which walks along its contiguous index, or along
/// its second one while the contiguous one is taken whole or fits into a line of `line_bytes`. Of a run longer than that `prefetched_lines`
/// lines have come (the paper: one).
std::vector<OperandHistory> histories(const Node& root, const std::vector<std::size_t>& path, const Contraction& contraction,
                                      std::int64_t line_bytes, std::size_t first_of = 0, std::int64_t prefetched_lines = 1);

/// One access of the list that recreates a cache state: to the operand of histories[operand], or to other memory (-1).
struct SetupAccess {
  int operand = -1;
  std::int64_t bytes = 0;
  bool prefetch = false;  ///< only the part that prefetching brings
  friend bool operator==(const SetupAccess&, const SetupAccess&) = default;
};

/// How a setup list is made.
struct SetupOptions {
  std::int64_t limit_bytes = 0;    ///< the list is cut at its front to this (the paper: 5/4 of the cache)
  bool prefetching = true;         ///< section 3.3
  bool prefetching_fails = false;  ///< section 3.4: an iteration in which operands that share lines reach a new one
};

/// Operands by falling distance, with accesses to other memory between them that make up the differences (section 3.2). Empty if nothing
/// but the operands themselves would be touched: then repeating the call recreates the state.
std::vector<SetupAccess> setup_list(const std::vector<OperandHistory>& histories, const SetupOptions& options);

}  // namespace flopcast::contract
