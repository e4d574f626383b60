#pragma once

#include <cstdint>
#include <vector>

#include "flopcast/core/call.hpp"

namespace flopcast::residual {

/// Number of rounds whose sizes lie at edges: 0, 1, around blockings, tall and wide. Further rounds have random sizes.
inline constexpr std::int64_t edge_rounds = 8;

/// Returns legal calls of a routine with sizes of the given round. Flags, scalars (also 0 and 1), leading dimensions (also larger than the
/// rows) and increments (also negative) are drawn at random from `seed`, the routine's name and the round.
std::vector<Call> generated_calls(const Routine& routine, std::int64_t round, std::uint64_t seed);

}  // namespace flopcast::residual
