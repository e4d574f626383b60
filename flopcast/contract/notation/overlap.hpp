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

/// Returns whether an element of a tensor at `x` shares bytes with an element of a tensor at `y`. The addresses are those of the tensors'
/// first elements, of `element_bytes` bytes each. Returns true also if the answer would take too long.
bool may_share_bytes(std::span<const Axis> x_axes, const void* x, std::span<const Axis> y_axes, const void* y, std::int64_t element_bytes);

/// Throws bad_input if elements of C share bytes with elements of A or B, which would be overwritten before they are read. `a`, `b` and `c`
/// point to the tensors' first elements, which aren't accessed.
void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c);

}  // namespace flopcast::contract
