#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flopcast/contract/execute.hpp"
#include "flopcast/contract/stretch.hpp"
#include "flopcast/measure/cache_control.hpp"
#include "flopcast/measure/experiment.hpp"

namespace flopcast::contract {

/// However long a stretch takes, it is prepared and timed so often: lest one of them be an odd one.
inline constexpr std::int64_t fewest_preparations = 2;

/// The experiment, with the stretches in a row as its timed calls, that brings what a stretch touches into the caches where it is to lie, executes what leads to the stretch, and times it.
/// Tensors are as far apart in memory as needed and no more: what isn't touched has no memory, and indices whose neighbours lie more than
/// pages apart may move together. `find` is asked when the experiment is first executed.
/// The stretches are timed about `repetitions` times altogether. Experiments that share a sweeper share its memory.
measure::Experiment stretch_experiment(const Stretch& stretch, const Algorithm& algorithm, const Contraction& contraction,
                                       const Environment& environment, FindRoutine find, int threads, std::int64_t repetitions = 10,
                                       std::shared_ptr<measure::Sweeper> sweeper = nullptr);

/// Names what stretch_experiment does: equal for experiments that are the same.
std::string stretch_key(const Stretch& stretch, const Algorithm& algorithm, const Contraction& contraction);

}  // namespace flopcast::contract
