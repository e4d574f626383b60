#include "flopcast/roofline/study.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/search/halving.hpp"
#include "flopcast/search/ledger.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {
namespace {

using search::Meter;

search::Limits limits(const StudySources& sources) {
  search::Limits limits;
  limits.clock = sources.clock;
  limits.interrupted = sources.interrupted;
  return limits;
}

std::uint64_t seed_of(const StudyOptions& options, int trial) { return options.seed + static_cast<std::uint64_t>(trial); }

double best_rate(const StudyRun& run) {
  double best = 0;
  for (const FinishedTrial& trial : run.finished) {
    best = std::max(best, trial.rate);
  }
  return best;
}

/// Continues after the finished configurations. A configuration that was interrupted starts again, and its time doesn't count.
void run_technique(StudyRun& run, std::size_t count, const StudySources& sources, const StudyOptions& options,
                   const std::function<void()>& keep) {
  search::ExhaustiveOptions technique = search::technique(run.technique);
  technique.limits = limits(sources);
  const std::vector<std::size_t> order =
      search::arranged(search::all(count), options.order.value_or(technique.order), seed_of(options, run.trial));
  for (std::size_t i = run.finished.size(); i < count; ++i) {
    Meter meter(technique.limits);
    const Seconds begin = sources.clock();
    const search::Trial trial = search::evaluate(order[i], sources.invoke, best_rate(run), meter, technique);
    if (trial.stop == Stop::no && trial.fault.empty()) {
      return;  // interrupted
    }
    run.leader = trial.rate > best_rate(run) ? trial.configuration : run.leader;
    run.finished.push_back({trial.configuration, trial.rate});
    run.rate = best_rate(run);
    run.seconds += sources.clock() - begin;
    run.evaluations += trial.iterations;
    run.complete = run.finished.size() == count;
    keep();
  }
}

/// Runs a search that can't be divided. If it is interrupted, it begins anew later, but its best configuration counts until then.
template <class Result>
void take(StudyRun& run, const Result& result, Seconds seconds) {
  if (!result.leader) {
    return;
  }
  run.leader = *result.leader;
  run.evaluations = result.evaluations;
  run.seconds = seconds;
  run.settled = result.ending == search::Ending::settled;
  run.complete = result.ending != search::Ending::interrupted;
}

void run_race(StudyRun& run, std::size_t count, const StudySources& sources, const StudyOptions& options) {
  const Seconds begin = sources.clock();
  search::RaceOptions race;
  race.tolerance = options.tolerance;
  race.error_probability = options.error_probability;
  race.seed = seed_of(options, run.trial);
  race.limits = limits(sources);
  race.limits.seconds = time_limit(run.technique);
  const search::RaceResult result = search::race(search::all(count), sources.evaluator(), race);
  take(run, result, sources.clock() - begin);
  for (const search::CandidateState& candidate : result.candidates) {
    run.rate = result.leader && candidate.configuration == *result.leader ? 1 / candidate.median : run.rate;
  }
}

void run_halving(StudyRun& run, std::size_t count, const StudySources& sources, const StudyOptions& options) {
  const Seconds begin = sources.clock();
  search::HalvingOptions halving;
  halving.seed = seed_of(options, run.trial);
  halving.limits = limits(sources);
  halving.limits.seconds = time_limit(run.technique);
  const search::HalvingResult result = search::halving(search::all(count), sources.evaluator(), halving);
  take(run, result, sources.clock() - begin);
}

StudyRun& find_or_add(StudyState& state, const std::string& technique, int trial) {
  const auto found = std::find_if(state.runs.begin(), state.runs.end(),
                                  [&](const StudyRun& run) { return run.technique == technique && run.trial == trial; });
  if (found != state.runs.end()) {
    return *found;
  }
  StudyRun run;
  run.technique = technique;
  run.trial = trial;
  return state.runs.emplace_back(run);
}

/// Returns the configurations to judge: those that the searches found so far, or the whole space.
std::set<std::size_t> to_judge(const StudyState& state, std::size_t count, const StudyOptions& options) {
  std::set<std::size_t> configurations;
  for (const StudyRun& run : state.runs) {
    if (run.complete || run.has_leader()) {
      configurations.insert(run.leader);
    }
  }
  if (options.judge_space) {
    const std::vector<std::size_t> space = search::all(count);
    configurations.insert(space.begin(), space.end());
  }
  return configurations;
}

/// Judges everything at once, in interleaved rounds, so that the rates that decide on success are comparable. Returns false if there was no
/// time for all rounds; fewer than `min_rounds` tell nothing.
bool judge(StudyState& state, const std::set<std::size_t>& configurations, const StudySources& sources, const StudyOptions& options) {
  static constexpr std::int64_t min_rounds = 3;
  search::Ledger ledger({configurations.begin(), configurations.end()}, options.seed);
  search::Limits judging = limits(sources);
  judging.interrupted = [&sources] { return sources.interrupted() || sources.clock() > sources.until; };
  Meter meter(judging);
  const search::Evaluator evaluator = sources.evaluator();
  while (ledger.rounds() < options.judging_rounds && ledger.round(evaluator, meter)) {
  }
  if (ledger.rounds() < std::min(min_rounds, options.judging_rounds)) {
    return false;
  }
  for (const search::Ledger::Row& row : ledger.rows()) {
    Rates rates;
    for (const Seconds cost : row.evaluated()) {
      rates.samples.push_back(1 / cost);
    }
    state.judged[row.configuration] = row.dropped() ? 0 : rates.attained();
  }
  return ledger.rounds() == options.judging_rounds;
}

bool are_judged(const StudyState& state, const std::set<std::size_t>& configurations) {
  return std::all_of(configurations.begin(), configurations.end(), [&](std::size_t one) { return state.judged.count(one) != 0; });
}

}  // namespace

void require_within(const StudyState& state, std::size_t count) {
  const auto check = [count](std::size_t configuration) {
    if (configuration >= count) {
      throw bad_input("the kept state belongs to another study: it names configuration {}, but there are {}", configuration, count);
    }
  };
  for (const StudyRun& run : state.runs) {
    check(run.leader);
    for (const FinishedTrial& trial : run.finished) {
      check(trial.configuration);
    }
  }
  for (const auto& [configuration, rate] : state.judged) {
    check(configuration);
  }
}

namespace {

/// Returns the techniques in the order in which they end, as published: a study that is cut short has most of its rows at that time.
std::vector<std::string> fastest_first(std::vector<std::string> techniques) {
  static constexpr std::array<std::string_view, 9> order = {"Single",    "race",    "halving",    "C+I+O+R", "C+I+Outer",
                                                            "C+Inner+R", "C+Inner", "Confidence", "Default"};
  const auto place = [](const std::string& technique) { return std::find(order.begin(), order.end(), search_name(technique)); };
  std::stable_sort(techniques.begin(), techniques.end(), [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return techniques;
}

/// Runs all searches that `state` lacks; returns false if one didn't end.
bool run_searches(std::size_t count, const StudySources& sources, const StudyOptions& options, StudyState& state) {
  for (int trial = 0; trial < options.trials; ++trial) {
    for (const std::string& technique : fastest_first(options.techniques)) {
      StudyRun& run = find_or_add(state, technique, trial);
      if (run.complete) {
        continue;
      }
      if (search_name(technique) == "race") {
        run_race(run, count, sources, options);
      } else if (search_name(technique) == "halving") {
        run_halving(run, count, sources, options);
      } else {
        run_technique(run, count, sources, options, [&] { sources.keep(state); });
      }
      sources.keep(state);
      if (!run.complete) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

bool run_study(std::size_t count, const StudySources& sources, const StudyOptions& options, StudyState& state) {
  static constexpr double searching_share = 0.9;  // share of the time; the rest is for judging
  std::for_each(options.techniques.begin(), options.techniques.end(), require_technique);
  const Seconds begin = sources.clock();
  StudySources searching = sources;
  searching.interrupted = [&sources, begin] {
    return sources.interrupted() || sources.clock() - begin > searching_share * (sources.until - begin);
  };
  const bool found = run_searches(count, searching, options, state);
  const std::set<std::size_t> configurations = to_judge(state, count, options);
  if (are_judged(state, configurations)) {
    return found;
  }
  const bool judged = judge(state, configurations, sources, options);
  if (found && judged) {
    sources.keep(state);
  }
  return found && judged;
}

}  // namespace flopcast::roofline
