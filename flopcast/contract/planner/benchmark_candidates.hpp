#pragma once

#include <functional>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/core/environment.hpp"

namespace flopcast::contract {

/// Predicts the most promising candidates from micro-benchmarks and moves the one with the shortest predicted time to the front. A sample
/// of each candidate is timed: a tile, or the part of a tile that takes some ten microseconds. The sample runs on real memory at the
/// contraction's own strides, with operands as far away as the whole contraction keeps them. Both the first tile of K, which overwrites C,
/// and further tiles, which add to C, are timed. The time of the whole is the model's time multiplied by the sample's ratio of measured to
/// modelled time. Returns false if `cancelled` returned true, which stopped the benchmarks.
bool benchmark_candidates(std::vector<Candidate>& all, const Folded& folded, const Environment& environment, const TileRates& rates,
                          const FindRoutine& find, const std::function<bool()>& cancelled);

/// Returns the first `length` values of a folded dimension, or all if it has fewer.
Fold beginning(const Fold& fold, std::int64_t length);
/// Returns the values [first, first + length) of a folded dimension, which must exist. The natural lengths are those of the beginning.
Fold part_of(const Fold& fold, std::int64_t first, std::int64_t length);

}  // namespace flopcast::contract
