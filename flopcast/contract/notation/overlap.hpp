#pragma once

#include <cstdint>
#include <span>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// An index of a tensor: its length, at least 1, and its stride in elements.
struct Axis {
  std::int64_t stride = 0, extent = 1;
};

/// Returns whether two elements of a tensor with these indices lie at the same address. Returns true also if the answer would take too
/// long. The offsets must fit 62 bits.
bool may_share_addresses(std::span<const Axis> axes);

/// Throws bad_input if elements of C share bytes with elements of A or B, which would be overwritten before they are read. `a`, `b` and `c`
/// point to the tensors' first elements, which aren't accessed.
void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c);

}  // namespace flopcast::contract
