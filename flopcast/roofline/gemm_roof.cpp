#include "flopcast/roofline/gemm_roof.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::roofline {
namespace {

using search::CandidateState;

Seconds now() { return 1e-9 * static_cast<Seconds>(machine::monotonic_nanoseconds()); }

/// All measured rates, by configuration.
using Samples = std::vector<Rates>;

/// Returns an evaluator that times shapes in a process and records their rates.
search::Evaluator recorded(GemmProcess& process, const GemmSpace& space, int threads, Samples& samples) {
  return [&process, &space, threads, &samples](std::size_t i) {
    const GemmShape& shape = space.shapes[i];
    const Seconds seconds = time_once(process, shape, threads);
    samples[i].samples.push_back(shape.flops() / seconds);
    return seconds / shape.flops();
  };
}

search::Limits limits(const GemmSearchOptions& options) {
  search::Limits limits;
  limits.seconds = options.time_budget;
  limits.clock = now;
  limits.interrupted = options.interrupted;
  return limits;
}

std::string state_of(const CandidateState& candidate, const std::vector<std::size_t>& ties) {
  if (candidate.state == CandidateState::Standing::dropped) {
    return candidate.fault;
  }
  if (candidate.state == CandidateState::Standing::slower) {
    return "slower";
  }
  return std::find(ties.begin(), ties.end(), candidate.configuration) != ties.end() ? "tie" : "unsettled";
}

search::RaceOptions race_options(const GemmSearchOptions& options) {
  search::RaceOptions race;
  race.tolerance = options.tolerance;
  race.error_probability = options.error_probability;
  race.good_enough = options.stop_at_flops > 0 ? 1 / options.stop_at_flops : 0;
  race.seed = options.seed;
  race.max_rounds = options.max_rounds;
  race.limits = limits(options);
  return race;
}

/// Races the best few ties again, each evaluation in a fresh process. The new rates replace those of the search, unless the time was too
/// short for enough of them.
void confirm(GemmRoof& roof, const search::RaceResult& race, const GemmSetup& setup, const GemmSpace& space,
             const GemmSearchOptions& options) {
  Samples samples(space.shapes.size());
  const search::Evaluator fresh = [&](std::size_t i) {
    GemmProcess process(setup);
    process.time(space.shapes[i], 1, 1);
    return recorded(process, space, setup.threads, samples)(std::span(&i, 1)).front();
  };
  search::RaceOptions again;
  again.tolerance = options.tolerance;
  again.error_probability = options.error_probability;
  again.max_rounds = options.confirmation_rounds;
  again.min_rounds = std::min(again.min_rounds, again.max_rounds);
  again.seed = options.seed;
  again.limits.interrupted = options.interrupted;
  again.limits.clock = now;
  again.limits.seconds = std::max(0.0, options.time_budget - roof.seconds) + options.confirmation_budget;
  const search::RaceResult result = search::confirm(race, std::min(options.confirmed, race.ties.size()), fresh, again);
  if (result.leader && result.rounds >= again.min_rounds && !samples[*result.leader].samples.empty()) {
    roof.shape = space.shapes[*result.leader];
    roof.flops = samples[*result.leader];
    roof.confirmed = true;
  }
}

std::vector<GemmTrial> trials(const GemmSpace& space, const Samples& samples, const search::RaceResult& race) {
  std::vector<GemmTrial> trials;
  for (const CandidateState& candidate : race.candidates) {
    if (const Rates& rates = samples[candidate.configuration]; !rates.samples.empty()) {
      trials.push_back({space.shapes[candidate.configuration], state_of(candidate, race.ties), rates});
    }
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const GemmTrial& a, const GemmTrial& b) { return a.flops.median() > b.flops.median(); });
  return trials;
}

}  // namespace

std::string to_string(search::Ending ending) {
  switch (ending) {
    case search::Ending::decided: return "decided";
    case search::Ending::good_enough: return "good enough";
    case search::Ending::budget: return "out of time";
    case search::Ending::interrupted: return "interrupted";
    case search::Ending::nothing_left: break;
  }
  return "nothing left";
}

GemmRoof find_gemm_roof(const GemmSetup& given, const GemmSpace& space, const GemmSearchOptions& options) {
  GemmSetup setup = given;
  setup.elements = space.elements();
  Samples samples(space.shapes.size());
  GemmRoof roof;
  roof.routine = setup.routine;
  roof.threads = setup.threads;
  const Seconds begin = now();
  GemmProcess process(setup);
  roof.library = process.library();
  const search::RaceResult race =
      search::race(search::all(space.shapes.size()), recorded(process, space, setup.threads, samples), race_options(options));
  if (!race.leader) {
    throw unusable_measurement("{} of {} with {} threads: not a single shape could be measured", setup.routine, setup.library,
                               setup.threads);
  }
  roof.seconds = now() - begin;
  roof.shape = space.shapes[*race.leader];
  roof.flops = samples[*race.leader];
  roof.ending = race.rounds >= options.max_rounds ? "out of rounds" : to_string(race.ending);
  roof.possible_gain = race.possible_gain;
  roof.error_probability = race.error_probability;
  roof.evaluations = race.evaluations;
  roof.trials = trials(space, samples, race);
  if (options.confirmed > 0) {
    confirm(roof, race, setup, space, options);
  }
  return roof;
}

}  // namespace flopcast::roofline
