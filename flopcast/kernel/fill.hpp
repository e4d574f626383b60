#pragma once

#include <cstdint>

#include "flopcast/core/call.hpp"

namespace flopcast::kernel {

/// Writes values that are safe to time `call` on into the operands it reads or updates (at the real addresses in the call): no denormals, well-conditioned triangles,
/// definite matrices, pivots that are a permutation, reflectors consistent with tau. Deterministic in `seed`. Writes nothing outside the operands' spans.
void fill(const Call& call, std::uint64_t seed);

/// What a call that was not executed must leave behind for its caller to go on: info = 0, identity pivots, outputs that steer control flow.
void skip(const Call& call);

}  // namespace flopcast::kernel
