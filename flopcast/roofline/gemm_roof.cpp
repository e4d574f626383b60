#include "flopcast/roofline/gemm_roof.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/search/exhaustive.hpp"
#include "flopcast/search/halving.hpp"
#include "flopcast/search/ledger.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::roofline {
namespace {

using search::CandidateState;

Seconds now() { return 1e-9 * static_cast<Seconds>(machine::monotonic_nanoseconds()); }

/// All measured rates, by configuration.
using Samples = std::vector<Rates>;

/// Outcome of a search.
struct Found {
  std::size_t best = 0;
  std::vector<std::string> states;  ///< states by configuration
  std::vector<std::size_t> order;   ///< the best first
  search::Ending ending = search::Ending::budget;
  double possible_gain = 1, error_probability = 1;
  std::int64_t evaluations = 0;
};

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

[[noreturn]] void nothing_measured(const GemmSetup& setup) {
  throw unusable_measurement("{} of {} with {} threads: not a single shape could be measured", setup.routine, setup.library, setup.threads);
}

std::string state_of(const CandidateState& candidate, const std::vector<std::size_t>& ties) {
  if (candidate.state == CandidateState::Kind::dropped) {
    return candidate.fault;
  }
  if (candidate.state == CandidateState::Kind::slower) {
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
  race.limits = limits(options);
  return race;
}

Found run_race(const search::Evaluator& evaluator, std::size_t count, const GemmSetup& setup, const GemmSearchOptions& options,
               search::RaceResult& result) {
  result = search::race(search::all(count), evaluator, race_options(options));
  if (!result.leader) {
    nothing_measured(setup);
  }
  Found found{*result.leader, {}, result.ties, result.ending, result.possible_gain, result.error_probability, result.evaluations};
  for (const CandidateState& candidate : result.candidates) {
    found.states.push_back(state_of(candidate, result.ties));
  }
  return found;
}

Found run_halving(const search::Evaluator& evaluator, std::size_t count, const GemmSetup& setup, const GemmSearchOptions& options) {
  search::HalvingOptions halving;
  halving.seed = options.seed;
  halving.limits = limits(options);
  const search::HalvingResult result = search::halving(search::all(count), evaluator, halving);
  if (!result.leader) {
    nothing_measured(setup);
  }
  return {*result.leader, std::vector<std::string>(count, "unsettled"), result.ranking, result.ending, 1, 1, result.evaluations};
}

/// Runs a search of paper 003, whose iterations use one fresh process after the other.
Found run_technique(const GemmSetup& setup, const GemmSpace& space, Samples& samples, const GemmSearchOptions& options) {
  search::ExhaustiveOptions technique = search::technique(options.search);
  technique.limits = limits(options);
  technique.order = options.order.value_or(technique.order);
  technique.seed = options.seed;
  const search::ExhaustiveResult result =
      search::exhaustive(search::all(space.shapes.size()), gemm_invocation(setup, space, &samples), technique);
  if (!result.leader) {
    nothing_measured(setup);
  }
  Found found{*result.leader, std::vector<std::string>(space.shapes.size(), "unsettled"), {}, result.ending, 1, 1, result.evaluations};
  return found;
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

std::vector<GemmTrial> trials(const GemmSpace& space, const Samples& samples, const Found& found) {
  std::vector<GemmTrial> trials;
  for (std::size_t i = 0; i < space.shapes.size(); ++i) {
    if (!samples[i].samples.empty()) {
      trials.push_back({space.shapes[i], found.states[i], samples[i]});
    }
  }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const GemmTrial& a, const GemmTrial& b) { return a.flops.median() > b.flops.median(); });
  return trials;
}

}  // namespace

std::string to_string(search::Ending ending) {
  switch (ending) {
    case search::Ending::settled: return "settled";
    case search::Ending::good_enough: return "good enough";
    case search::Ending::budget: return "out of time";
    case search::Ending::interrupted: return "interrupted";
    case search::Ending::nothing_left: break;
  }
  return "nothing left";
}

search::Invocation gemm_invocation(const GemmSetup& setup, const GemmSpace& space, std::vector<Rates>* samples) {
  return [setup, &space, samples](std::size_t i) -> search::Iteration {
    GemmSetup own = setup;
    own.elements = space.shapes[i].elements();
    auto process = std::make_shared<GemmProcess>(own);
    process->time(space.shapes[i], 0, 1);
    return [process, shape = space.shapes[i], i, samples] {
      const Seconds seconds = process->time(shape, 0, 1);
      if (samples != nullptr) {
        (*samples)[i].samples.push_back(shape.flops() / seconds);
      }
      return seconds / shape.flops();
    };
  };
}

GemmRoof find_gemm_roof(const GemmSetup& given, const GemmSpace& space, const GemmSearchOptions& options) {
  GemmSetup setup = given;
  setup.elements = space.elements();
  Samples samples(space.shapes.size());
  GemmRoof roof;
  roof.routine = setup.routine;
  roof.threads = setup.threads;
  roof.search = options.search;
  const Seconds begin = now();
  GemmProcess process(setup);
  roof.library = process.library();
  search::RaceResult race;
  const search::Evaluator evaluator = recorded(process, space, setup.threads, samples);
  const Found found = options.search == "race"      ? run_race(evaluator, space.shapes.size(), setup, options, race)
                      : options.search == "halving" ? run_halving(evaluator, space.shapes.size(), setup, options)
                                                    : run_technique(setup, space, samples, options);
  roof.seconds = now() - begin;
  roof.shape = space.shapes[found.best];
  roof.flops = samples[found.best];
  roof.ending = to_string(found.ending);
  roof.possible_gain = found.possible_gain;
  roof.error_probability = found.error_probability;
  roof.evaluations = found.evaluations;
  roof.trials = trials(space, samples, found);
  if (race.leader && options.confirmed > 0) {
    confirm(roof, race, setup, space, options);
  }
  return roof;
}

}  // namespace flopcast::roofline
