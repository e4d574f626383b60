#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flopcast/measure/experiment.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast::contract {

/// What earlier runs measured, by a benchmark's key; with empty functions there is nothing.
struct TimingMemory {
  std::function<std::optional<measure::Timings>(const std::string& key)> find;
  std::function<void(const std::string& key, const measure::Timings& timings)> keep;
};

/// Timings kept in `store`, which must outlive the memory. `context` names everything beside the key that they depend on: machine, library,
/// options. Only timings in which every call has `fewest` repetitions that count are kept and found. Drifts are restated for `reference`,
/// the reference kernel's time that counts as a drift of 1 today (0: not known).
TimingMemory timings_in(model::Store& store, const std::string& context, std::size_t fewest, Seconds reference = 0);

}  // namespace flopcast::contract
