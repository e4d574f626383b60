#pragma once

#include "flopcast/contract/contraction.hpp"

namespace flopcast::contract {

/// Throws bad_input if the result's memory, from its lowest to its highest element, overlaps A's or B's: what is read would have been
/// overwritten by then. `a`, `b` and `c` point to the tensors' first elements; nothing is touched.
void require_apart(const Contraction& contraction, const void* a, const void* b, const void* c);

}  // namespace flopcast::contract
