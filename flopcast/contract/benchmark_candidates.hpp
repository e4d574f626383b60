#pragma once

#include <functional>
#include <vector>

#include "flopcast/contract/candidates.hpp"
#include "flopcast/contract/execute.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::contract {

/// Predicts the most promising candidates from micro-benchmarks, and brings the one predicted to be the fastest to the front. Of each a
/// tile, or as much of it as takes some ten microseconds, is timed on real memory at the contraction's own strides, with operands as far
/// away as the whole contraction keeps them; for the first tile of K, which overwrites C, and for further ones, which add to it. The time
/// of the whole is the model's, corrected by measured / modelled of this sample. Whether it ran to its end: false if `go_on` stopped it.
bool benchmark_candidates(std::vector<Candidate>& all, const Folded& folded, const Environment& environment, const TileRates& rates,
                          const FindRoutine& find, const std::function<bool()>& go_on);

/// The first `length` values of a folded dimension, or all if there are fewer.
Fold beginning(const Fold& fold, std::int64_t length);
/// The values [first, first + length), which must be there. Its natural lengths are those of the beginning.
Fold part_of(const Fold& fold, std::int64_t first, std::int64_t length);

}  // namespace flopcast::contract
