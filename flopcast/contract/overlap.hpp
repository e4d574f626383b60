#pragma once

#include <cstdint>
#include <span>

#include "flopcast/contract/contraction.hpp"

namespace flopcast::contract {

/// An index of a tensor, 1 or longer, with its stride in elements.
struct Axis {
  std::int64_t stride = 0, extent = 1;
};

/// Whether two elements of a tensor with these indices lie at the same address; true also if it would take too long to find out. What the
/// strides reach must fit 62 bits.
bool may_share_addresses(std::span<const Axis> axes);

/// Throws bad_input if the result's elements share bytes with A's or B's: what is read would have been overwritten by then. `a`, `b` and `c`
/// point to the tensors' first elements; nothing is touched.
void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c);

}  // namespace flopcast::contract
