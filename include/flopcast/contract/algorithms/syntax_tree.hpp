#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {

/// A part of a tensor, or of its copy's buffer, that a call touches: all of the indices in `whole`, one position of every other index.
struct Slice {
  Operand operand = Operand::a;
  bool buffer = false;
  std::string whole;  ///< sorted indices

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// Kinds of nodes of a syntax tree.
enum class NodeKind : std::uint8_t { root, loop, kernel, copy_in, copy_out };

/// A loop with its body, or a call with the slices that it touches.
struct Node {
  NodeKind kind = NodeKind::root;
  char index = '\0';             ///< index of a loop
  Operand operand = Operand::a;  ///< operand of a copy
  std::vector<Node> body;        ///< body of a loop or the root, in the order of execution
  std::vector<Slice> touched;    ///< slices that a call touches
};

/// Returns the algorithm as a tree (Peise et al. 2015, section 2).
Node syntax_tree(const Algorithm& algorithm, const Contraction& contraction);

/// Returns the positions in the bodies that lead from the root to the first call of this kind (of `operand`, for a copy); empty if there is
/// none.
std::vector<std::size_t> path_to(const Node& root, NodeKind kind, Operand operand = Operand::a);

/// Returns the bytes of a slice.
std::int64_t slice_bytes(const Slice& slice, const Contraction& contraction);

/// Returns whether the slice differs between iterations of a loop over `index`.
bool varies(const Slice& slice, char index, const Contraction& contraction);

/// Returns the union of the slice over all iterations of a loop over `index`.
Slice joined(Slice slice, char index, const Contraction& contraction);

/// Returns everything that `node` touches, joined across its loops, with one slice per tensor or buffer.
std::vector<Slice> all_touched(const Node& node, const Contraction& contraction);

/// Adds slices to `set`, joining those of the same tensor or buffer.
void merge(std::vector<Slice>& set, std::span<const Slice> more);

}  // namespace flopcast::contract
