#pragma once

#include <cstdint>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::kernel {

/// Writes values that are safe to time `call` on into the operands it reads or updates (at the real addresses in the call; one without
/// address is left out): no zeros or denormals among random numbers, well-conditioned triangles, definite matrices, pivots in range,
/// reflectors consistent with tau. Deterministic in `seed`. Writes the operands' footprints and nothing else.
void fill(const Call& call, std::uint64_t seed);

/// What a call that is not executed must leave behind for its caller to go on: info = 0, identity pivots, the outputs that steer control
/// flow, and for a query of the work space (lwork = -1) a size that suffices. A function's result is 1 (0 as the index into nothing).
/// Addresses of 0 are left out.
Outcome skip(const Call& call);

/// Whether a program may go by what the routine computes: a value that it returns, pivots. Such a routine can't be left out.
bool decides(const Routine& routine) noexcept;

/// Whether how much the routine has to do depends on its data, most of it in loops of its own: eigenvalues, singular values.
bool iterates(const Routine& routine) noexcept;

}  // namespace flopcast::kernel
