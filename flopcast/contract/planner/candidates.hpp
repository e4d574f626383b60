#pragma once

#include <vector>

#include "flopcast/contract/planner/tile_rates.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {

/// The source of a candidate's time. A later value is more trustworthy.
enum class Basis : std::uint8_t { formula, benchmark, execution };

/// A tiling with its expected time.
struct Candidate {
  Tiling tiling;
  Seconds seconds = 0;
  Basis basis = Basis::formula;
  bool is_one_call = false;  ///< one library gemm per thread, on the tensors in place: users don't expect a plan to be slower than this
};

/// Returns the tilings that may be the fastest for `folded`, by rising expected time. Tiles end where indices of the notation end, suit
/// the caches, or take a whole dimension. The kernels are gemm and those of flopcast that can compute the contraction. A few candidates
/// have other orders of the loops or kept tiles, where the model expects about the speed of the best other candidate or more. A contraction
/// that is too short for threads to pay is tried on one thread, too.
std::vector<Candidate> candidates(const Folded& folded, const Environment& environment, const TileRates& rates, int threads);

/// Returns whether the loops over tiles run in another order than nkm, or tiles are kept for more than one product.
bool has_other_loops(const Tiling& tiling);

/// Moves candidates of different kinds to the front, so that no kind whose time the model gets wrong fills all of the `count` places that
/// are tried. Moved are the best three of every kernel, the best of each order of rows, with C streamed and not, unless clearly slower, and
/// two with other loops if there is room. The kernels take turns, because a budget may end after two executions; clearly slower ones come
/// last. The first candidate stays first, and one call of gemm comes second.
void promote_each_kernel(std::vector<Candidate>& all, std::size_t count);

/// Returns whether the streaming kernel can compute the contraction on this CPU: double precision, short sums, contiguous columns of C.
bool can_stream(const Folded& folded);

}  // namespace flopcast::contract
