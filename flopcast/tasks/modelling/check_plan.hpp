#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "flopcast/model/on_demand.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/checked_segments.hpp"

/// The random choice of what a check measures.
namespace flopcast {

struct CheckPlan {
  std::vector<std::size_t> retimed;  ///< segments that are timed first, so that the models know the session's state
  std::vector<std::size_t> checked;  ///< the other segments in a random order, in which kernels take turns
  std::set<std::size_t> held_out;    ///< places of the first checked segments that predictions are to interpolate
  std::vector<Seconds> costs;        ///< expected time of one run of every segment with its setup
};

/// Chooses segments whose expected time fits into `budget`, if each runs `repetitions` times; the segments after these are without places
/// held out. A segment of which one run takes more than 1/20 of the budget is skipped.
CheckPlan plan_check(const CheckedSegments& all, const model::OnDemandModels& models, std::int64_t repetitions, Seconds budget,
                     std::uint64_t seed);

}  // namespace flopcast
