#include "bench/baselines/study.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "bench/baselines/halving.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/search/ledger.hpp"
#include "flopcast/search/race.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::bench {
namespace {

/// Returns the name of a technique without its settings.
std::string_view search_name(std::string_view technique) { return split(technique, ':').front(); }

/// Returns the maximum time of a search by race or halving; infinite without the setting.
Seconds time_limit(std::string_view technique) {
  Seconds limit = std::numeric_limits<Seconds>::infinity();
  const std::vector<std::string_view> parts = split(technique, ':');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    static constexpr std::string_view setting = "time=";
    if (parts[i].substr(0, setting.size()) != setting) {
      throw usage_error("technique {}: '{}' given, expected time=DURATION", parts.front(), parts[i]);
    }
    limit = parse_duration(parts[i].substr(setting.size()), fmt::format("technique {}, time", parts.front()));
    if (!(limit > 0)) {
      throw bad_input("technique {}, time: '{}' given, expected more than 0", parts.front(), parts[i].substr(setting.size()));
    }
  }
  return limit;
}

void require_technique(std::string_view text) {
  const std::string_view name = search_name(text);
  if (const std::vector<std::string> known = study_techniques(); std::find(known.begin(), known.end(), name) == known.end()) {
    throw usage_error("technique '{}' given, expected one of {}", text, fmt::join(known, ", "));
  }
  if (searches_in_one_process(text)) {
    time_limit(text);
  } else {
    technique(text);
  }
}

search::Limits limits_of(const std::string& technique, const StudyServices& sources) {
  search::Limits limits;
  limits.clock = sources.clock;
  limits.seconds = time_limit(technique);
  return limits;
}

template <class Result>
void take(StudyRun& run, const Result& result) {
  run.leader = result.leader.value_or(0);
  run.evaluations = result.evaluations;
  run.decided = result.ending == search::Ending::decided;
}

void run_technique(StudyRun& run, std::size_t count, const StudyServices& sources) {
  ExhaustiveOptions options = technique(run.technique);
  options.limits.clock = sources.clock;
  ExhaustiveResult result = exhaustive(search::all(count), sources.invoke, options);
  take(run, result);
  run.trials = std::move(result.trials);
  for (const Trial& trial : run.trials) {
    run.rate = std::max(run.rate, trial.rate);
  }
}

void run_race(StudyRun& run, std::size_t count, const StudyServices& sources, const StudyOptions& options, std::uint64_t seed) {
  search::RaceOptions race;
  race.tolerance = options.tolerance;
  race.error_probability = options.error_probability;
  race.seed = seed;
  race.limits = limits_of(run.technique, sources);
  const search::RaceResult result = search::race(search::all(count), sources.evaluator(), race);
  take(run, result);
  for (const search::CandidateState& candidate : result.candidates) {
    run.rate = candidate.configuration == result.leader ? 1 / candidate.median : run.rate;
  }
}

StudyRun run_search(const std::string& technique, std::size_t count, const StudyServices& sources, const StudyOptions& options,
                    std::uint64_t seed) {
  StudyRun run;
  run.technique = technique;
  const Seconds begin = sources.clock();
  if (search_name(technique) == "race") {
    run_race(run, count, sources, options, seed);
  } else if (search_name(technique) == "halving") {
    take(run, halving(search::all(count), sources.evaluator(), {.seed = seed, .limits = limits_of(technique, sources)}));
  } else {
    run_technique(run, count, sources);
  }
  run.seconds = sources.clock() - begin;
  return run;
}

/// Returns the configurations to judge: those that the searches found, or the whole space.
std::set<std::size_t> to_judge(const Study& study, std::size_t count, const StudyOptions& options) {
  const std::vector<std::size_t> space = options.judge_space ? search::all(count) : std::vector<std::size_t>();
  std::set<std::size_t> configurations(space.begin(), space.end());
  for (const StudyRun& run : study.runs) {
    configurations.insert(run.leader);
  }
  return configurations;
}

/// Judges everything at once, in interleaved rounds, so that the rates that decide on success are comparable.
std::map<std::size_t, double> judge(const std::set<std::size_t>& configurations, const StudyServices& sources,
                                    const StudyOptions& options) {
  search::Ledger ledger({configurations.begin(), configurations.end()}, options.seed);
  search::Meter meter({});
  const search::Evaluator evaluator = sources.evaluator();
  while (ledger.rounds() < options.judging_rounds && ledger.round(evaluator, meter)) {
  }
  std::map<std::size_t, double> judged;
  for (const search::Ledger::Row& row : ledger.rows()) {
    roofline::Rates rates;
    for (const Seconds cost : row.evaluated()) {
      rates.samples.push_back(1 / cost);
    }
    judged[row.configuration] = row.dropped() ? 0 : rates.attained();
  }
  return judged;
}

StudyRow row_of(const Study& study, const std::string& technique, double best, double tolerance) {
  StudyRow row;
  row.technique = technique;
  std::vector<double> seconds, evaluations;
  std::vector<std::tuple<double, std::size_t, double>> leaders;  // ordered by judged rate
  for (const StudyRun& run : study.runs) {
    if (run.technique == technique) {
      const double rate = study.judged.at(run.leader);
      leaders.emplace_back(rate, run.leader, run.rate);
      seconds.push_back(run.seconds);
      evaluations.push_back(static_cast<double>(run.evaluations));
      row.decided += run.decided ? 1 : 0;
      row.success += rate >= (1 - tolerance) * best ? 1 : 0;
      ++row.trials;
    }
  }
  std::sort(leaders.begin(), leaders.end());
  std::tie(row.rate, row.leader, row.found) = leaders.at((leaders.size() - 1) / 2);
  row.of_best = row.rate / best;
  row.success /= row.trials;
  row.decided /= row.trials;
  row.seconds = median(seconds);
  row.evaluations = static_cast<std::int64_t>(median(evaluations));
  return row;
}

}  // namespace

std::vector<std::string> study_techniques() {
  std::vector<std::string> names = technique_names();
  names.insert(names.end(), {"race", "halving"});
  return names;
}

bool searches_in_one_process(std::string_view technique) {
  const std::string_view name = search_name(technique);
  return name == "race" || name == "halving";
}

Study run_study(std::size_t count, const StudyServices& sources, const StudyOptions& options) {
  std::for_each(options.techniques.begin(), options.techniques.end(), require_technique);
  Study study;
  for (int trial = 0; trial < options.trials; ++trial) {
    for (const std::string& technique : options.techniques) {
      study.runs.push_back(run_search(technique, count, sources, options, options.seed + static_cast<std::uint64_t>(trial)));
    }
  }
  study.judged = judge(to_judge(study, count, options), sources, options);
  return study;
}

std::vector<StudyRow> summarise(const Study& study, const StudyOptions& options) {
  double best = 0;
  for (const auto& [configuration, rate] : study.judged) {
    best = std::max(best, rate);
  }
  std::vector<StudyRow> rows;
  for (const std::string& technique : options.techniques) {
    rows.push_back(row_of(study, technique, best, options.tolerance));
  }
  const auto reference = std::find_if(rows.begin(), rows.end(), [](const StudyRow& row) { return row.technique == "Default"; });
  for (StudyRow& row : rows) {
    row.speedup = reference == rows.end() ? 0 : reference->seconds / row.seconds;
  }
  return rows;
}

}  // namespace flopcast::bench
