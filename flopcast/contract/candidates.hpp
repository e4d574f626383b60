#pragma once

#include <vector>

#include "flopcast/contract/blocked.hpp"
#include "flopcast/contract/tile_rates.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::contract {

/// Where a candidate's time comes from; a later one is to be trusted more.
enum class Basis : std::uint8_t { formula, benchmark, execution };

/// A blocking with the time that is expected of it.
struct Candidate {
  Blocking blocking;
  Seconds seconds = 0;
  Basis basis = Basis::formula;
  bool is_one_call = false;  ///< one gemm of the library for each thread, on the tensors as they lie: nobody expects to be slower
};

/// The blockings that may be best for `folded`, by rising expected time: tiles that end where indices of the notation do, tiles that suit
/// the caches, and all of a dimension; with gemm, and with our own kernels where they can work; a few with other orders of the loops over
/// tiles, or with tiles kept, where the model expects that to be about as fast as the best of the others, or faster. What is so short that threads may not pay is tried
/// on one, too.
std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, const TileRates& rates, int threads);

/// Whether the loops over tiles run in another order than usual (nkm), or tiles are kept for more than one product.
bool has_other_loops(const Blocking& blocking);

/// Brings the best three of every kernel to the front, the best of each order of rows, with C streamed and not, unless it is clearly slower, and two with other loops if
/// there is room, lest one kind whose time the model gets wrong fill all of the `count` places of those that are tried. Kernels take turns, as a budget may end after two executions; those expected to be clearly slower wait until the
/// others are through. The first stays the first; one call of gemm comes second.
void promote_each_kernel(std::vector<Candidate>& all, std::size_t count);

/// Whether the streaming kernel can compute it: double precision, a short sum, C's columns contiguous, this CPU.
bool can_stream(const Folded& folded);

}  // namespace flopcast::contract
