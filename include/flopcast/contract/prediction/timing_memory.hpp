#pragma once

#include <functional>
#include <optional>
#include <string>

#include "flopcast/measure/experiment.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
struct Environment;
}
namespace flopcast::model {
class Store;
}

namespace flopcast::contract {

/// Access to the timings of earlier runs, by a benchmark's key. With empty functions nothing is known and nothing is kept.
struct TimingMemory {
  std::function<std::optional<measure::Timings>(const std::string& key)> find;
  std::function<void(const std::string& key, const measure::Timings& timings)> keep;
};

/// Returns access to the timings in `store`, which must outlive the memory. `context` names everything beside the key on which the timings
/// depend: machine, library, options. Timings are kept and found only if every call has at least `fewest` repetitions that count. They
/// are found only if the reference kernel took about `reference`, its present time, when they were measured (0: unknown).
TimingMemory timings_in(model::Store& store, const std::string& context, std::size_t fewest, Seconds reference = 0);

struct BenchmarkOptions;

/// Returns access to the timings in `store` that were measured with these options in this environment, or better: those whose calls have as
/// many repetitions as a forecast measures first.
TimingMemory earlier_timings(model::Store& store, const BenchmarkOptions& options, const Environment& environment, Seconds reference);

}  // namespace flopcast::contract
