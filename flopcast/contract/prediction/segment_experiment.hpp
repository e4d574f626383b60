#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/contract/prediction/timed_segment.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::contract {

/// Smallest number of times that a segment is prepared and timed, however long it takes, because a single one may be unusual.
inline constexpr std::int64_t fewest_preparations = 2;

/// Returns the experiment that times consecutive segments, which are its timed calls. Its setup brings everything that a segment touches
/// into the caches in which it should lie, then executes the lead.
///
/// Tensors are as far apart in memory as needed: untouched parts have no memory, and indices with strides far beyond a page may move closer
/// together. `find` is called when the experiment is first executed. The segments are timed about `repetitions` times in total. Experiments
/// that share a sweeper share its memory.
measure::Experiment segment_experiment(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction,
                                       const Environment& environment, FindRoutine find, int threads, std::int64_t repetitions = 10,
                                       std::shared_ptr<measure::Sweeper> sweeper = nullptr);

/// Returns a call that only conveys the tensors' addresses to an experiment's `perform`: the product of their first elements.
Call carrier_call(Precision precision, int threads);

/// Returns a key of the experiment, which is equal for equal experiments.
std::string segment_key(const LoopSegment& segment, const Algorithm& algorithm, const Contraction& contraction);

}  // namespace flopcast::contract
