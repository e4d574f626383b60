#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/contract/algorithms/syntax_tree.hpp"

namespace flopcast::contract {

/// The access history of one operand before a kernel call (Peise et al. 2015, sections 3.2 and 3.3).
struct OperandHistory {
  Slice slice;
  std::int64_t bytes = 0;           ///< size of the slice
  std::int64_t distance_bytes = 0;  ///< bytes touched since the last access of the slice
  bool prefetched = false;
  bool shares_lines = false;  ///< prefetched because the surrounding loop walks along the contiguous index: several iterations share a line
  std::int64_t prefetch_distance_bytes = 0;  ///< bytes touched since the slice was prefetched
  std::int64_t prefetch_bytes = 0;           ///< bytes of the slice that prefetching loads: at most a few lines along the contiguous index

  /// Returns whether prefetching loads the whole slice.
  [[nodiscard]] bool is_wholly_prefetched() const { return prefetched && prefetch_bytes >= bytes; }
};

/// Returns the bytes touched since `slice` of the call at `path` was last accessed (Peise et al. 2015, section 3.2, three cases). The
/// search goes backwards through the tree: it passes the preceding nodes of a body, then leaves one loop at a time. If the slice doesn't
/// vary across a loop, the previous iteration touched it. Otherwise everything that the loop touches is joined across its index, and the
/// search continues outside of the loop. The root stands for repeated executions of the whole algorithm.
///
/// `first_of` > 0 asks for the distance in the first iteration of that many innermost loops (section 3.5). The search then starts at the
/// outermost of these loops and counts everything that they touch.
std::int64_t access_distance(const Node& root, const std::vector<std::size_t>& path, const Slice& slice, const Contraction& contraction,
                             std::size_t first_of = 0);

/// Returns the history of every operand of the call at `path`, one per touched tensor, in the order of operands. If `first_of` is 0,
/// prefetching (section 3.3) is detected. An operand is prefetched if it varies across the innermost surrounding loop and this loop walks
/// along its contiguous index. The loop may also walk along its second index, if the contiguous index is taken whole or fits into a line of
/// `line_bytes`. Of a longer contiguous run, `prefetched_lines` lines are assumed to be prefetched (the paper: one).
std::vector<OperandHistory> histories(const Node& root, const std::vector<std::size_t>& path, const Contraction& contraction,
                                      std::int64_t line_bytes, std::size_t first_of = 0, std::int64_t prefetched_lines = 1);

/// One access of the list that recreates a cache state: an access to the operand of histories[operand], or to other memory (-1).
struct SetupAccess {
  int operand = -1;
  std::int64_t bytes = 0;
  bool prefetch = false;  ///< touch only the part that prefetching loads
  friend bool operator==(const SetupAccess&, const SetupAccess&) = default;
};

/// Options of setup_list().
struct SetupOptions {
  std::int64_t limit_bytes = 0;    ///< the front of the list is cut to this size (the paper: 5/4 of the cache)
  bool prefetching = true;         ///< model prefetching (section 3.3)
  bool prefetching_fails = false;  ///< section 3.4: models an iteration in which operands that share lines reach a new line
};

/// Returns the operands by falling distance, with accesses to other memory between them that make up the differences (section 3.2). The
/// list is empty if only the operands themselves would be touched: then repeating the call recreates the state.
std::vector<SetupAccess> setup_list(const std::vector<OperandHistory>& histories, const SetupOptions& options);

}  // namespace flopcast::contract
