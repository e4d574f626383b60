#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "flopcast/contract/algorithm.hpp"

namespace flopcast::contract {

/// Part of a tensor, or of the buffer of its copy, that a call touches: all of it along the indices `whole`, one position along the others.
struct Slice {
  Place place = Place::a;
  bool buffer = false;
  std::string whole;  ///< sorted

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// A loop with its body, or a call with what it touches.
struct Node {
  enum class Kind : std::uint8_t { root, loop, kernel, copy_in, copy_out };
  Kind kind = Kind::root;
  char index = '\0';           ///< of a loop
  Place operand = Place::a;    ///< of a copy
  std::vector<Node> body;      ///< of a loop or the root, in the order of execution
  std::vector<Slice> touched;  ///< by a call
};

/// The algorithm as a tree (paper 002, section 2).
Node syntax_tree(const Algorithm& algorithm, const Contraction& contraction);

/// Positions in the bodies that lead from the root to the first call of this kind (of `operand`, for a copy); empty if there is none.
std::vector<std::size_t> path_to(const Node& root, Node::Kind kind, Place operand = Place::a);

/// Bytes of a slice.
std::int64_t slice_bytes(const Slice& slice, const Contraction& contraction);

/// Whether the slice is another one in each iteration of a loop over `index`.
bool varies(const Slice& slice, char index, const Contraction& contraction);

/// The slices that all iterations of a loop over `index` touch together.
Slice joined(Slice slice, char index, const Contraction& contraction);

/// Everything that `node` touches, joined across the loops in it, each tensor's slices made one.
std::vector<Slice> all_touched(const Node& node, const Contraction& contraction);

/// Adds slices, joining those of the same tensor.
void merge(std::vector<Slice>& set, std::span<const Slice> more);

}  // namespace flopcast::contract
