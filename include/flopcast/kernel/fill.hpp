#pragma once

#include <cstdint>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/invoke.hpp"

namespace flopcast::kernel {

/// Writes values that are safe for timing `call` into the operands that it reads or updates, at the real addresses in the call; operands
/// without address are skipped. Random numbers contain no zeros or denormals, triangles are well-conditioned, matrices definite, pivots in
/// range, and reflectors consistent with tau. Deterministic in `seed`. Writes only the operands' footprints.
void fill(const Call& call, std::uint64_t seed);

/// Writes the outputs that the caller of a skipped call needs to go on. They are info = 0, identity pivots, the outputs that steer control
/// flow, and a sufficient size for a query of the work space (lwork = -1). The result of a function is 1, or 0 as an index into an empty
/// vector. Operands with address 0 are skipped.
Outcome skip(const Call& call);

/// Returns whether the control flow of a program may depend on the routine's result: a value that it returns, or pivots. Such a routine
/// can't be skipped.
bool decides(const Routine& routine) noexcept;

/// Returns whether the routine's amount of work depends on its data and is mostly in loops of its own: eigenvalues, singular values.
bool iterates(const Routine& routine) noexcept;

}  // namespace flopcast::kernel
