#pragma once

#include <vector>

#include "flopcast/contract/blocked.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {

/// Where a candidate's time comes from; a later one is to be trusted more.
enum class Basis : std::uint8_t { formula, execution };

/// A blocking with the time that is expected of it.
struct Candidate {
  Blocking blocking;
  Seconds seconds = 0;
  Basis basis = Basis::formula;
};

/// The blockings that may be best for `folded`, by rising expected time: tiles that end where indices of the notation do, tiles that suit the caches, and all of
/// a dimension; with the streaming kernel where it can work.
std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, int threads);

/// Expected time: flops at the rate that gemm reaches with such tiles, plus the memory traffic of tensors (C's lines are read before they are written unless
/// streamed) and packing, plus a call's overhead. A guide for pruning; docs/contractions.md has the formula.
Seconds expected_seconds(const Folded& folded, const Blocking& blocking, const Environment& environment);

/// Whether the streaming kernel can compute it: double precision, a short sum, C's columns contiguous, this CPU.
bool can_stream(const Folded& folded);

}  // namespace flopcast::contract
