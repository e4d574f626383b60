#include "flopcast/contract/prediction/forecast.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// The time of everything that one experiment timed, with its interval.
struct Timed {
  Seconds seconds = 0;
  Interval interval;
  double calls = 0;
};

Timed summed(const measure::Timings& timings, const std::string& what) {
  Timed total;
  for (const std::vector<Repetition>& call : timings.calls) {
    std::vector<double> times;
    for (const Repetition& repetition : call) {
      if (!repetition.discarded) {
        times.push_back(repetition.normalised());
      }
    }
    if (times.empty()) {
      throw unusable_measurement("{} was not measured: every repetition was disturbed, or the run was interrupted", what);
    }
    const Interval interval = median_interval(times);
    total.calls += 1;
    total.seconds += median(times);
    total.interval.low += interval.low;
    total.interval.high += interval.high;
  }
  return total;
}

/// Subtracts the cost of standing alone from each call. No call becomes quicker than a warm one among many.
void subtract_isolation(Timed& timed, Seconds alone, Seconds together) {
  const Seconds cost = timed.calls * std::max(0.0, alone - together);
  const auto reduced = [&](Seconds seconds) { return std::max(seconds - cost, std::min(seconds, timed.calls * together)); };
  timed.seconds = reduced(timed.seconds);
  timed.interval.low = reduced(timed.interval.low);
  timed.interval.high = reduced(timed.interval.high);
}

/// Merges the repetitions of all calls into those of one call.
measure::Timings joined(measure::Timings timings) {
  std::vector<Repetition> all;
  for (const std::vector<Repetition>& call : timings.calls) {
    all.insert(all.end(), call.begin(), call.end());
  }
  timings.calls = {std::move(all)};
  return timings;
}

/// Returns whether the repetitions, each of which has several similar calls, have about equal medians.
bool agree(const measure::Timings& timings) {
  constexpr double about = 0.05;
  std::vector<double> medians;
  for (std::size_t repetition = 0; repetition < timings.calls.front().size(); ++repetition) {
    std::vector<double> times;
    for (const std::vector<Repetition>& call : timings.calls) {
      if (!call[repetition].discarded) {
        times.push_back(call[repetition].normalised());
      }
    }
    if (!times.empty()) {
      medians.push_back(median(times));
    }
  }
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return std::ssize(medians) >= fewest_preparations && *most <= (1 + about) * *least;
}

bool is_empty(const measure::Timings& timings) { return timings.calls.empty() || timings.calls.front().empty(); }

/// An experiment that forecasts need.
struct Wanted {
  std::string key;
  measure::Experiment experiment;
  bool alike = false;  ///< MicroBenchmark::alike
};

/// Adds the repetitions of a later run.
void append(measure::Timings& timings, const measure::Timings& later) {
  for (std::size_t call = 0; call < timings.calls.size(); ++call) {
    timings.calls[call].insert(timings.calls[call].end(), later.calls[call].begin(), later.calls[call].end());
  }
  timings.warnings.insert(timings.warnings.end(), later.warnings.begin(), later.warnings.end());
}

/// Measures experiments. Segments are repeated a few times only; a second run completes the repetitions of those whose repetitions
/// disagree.
std::vector<measure::Timings> measured_in_rounds(std::span<const Wanted* const> wanted, const Measure& measure) {
  std::vector<measure::Experiment> experiments;
  for (const Wanted* one : wanted) {
    experiments.push_back(one->experiment);
    if (one->alike) {
      experiments.back().max_repetitions = std::min(one->experiment.max_repetitions, fewest_preparations);
    }
  }
  std::vector<measure::Timings> all = measure(experiments);
  std::vector<measure::Experiment> unsettled;
  std::vector<std::size_t> all_operands;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_empty(all[i])) {
      return all;  // interrupted
    }
    const std::int64_t left = wanted[i]->experiment.max_repetitions - fewest_preparations;
    if (wanted[i]->alike && left > 0 && !agree(all[i])) {
      unsettled.push_back(wanted[i]->experiment);
      unsettled.back().max_repetitions = left;
      all_operands.push_back(i);
    }
  }
  if (!unsettled.empty()) {
    const std::vector<measure::Timings> later = measure(unsettled);
    for (std::size_t i = 0; i < all_operands.size(); ++i) {
      append(all[all_operands[i]], later[i]);
    }
  }
  return all;
}

/// Fills in the timings of all experiments, from `memory` if known there, otherwise by measuring. Returns the positions of the measured
/// ones.
std::vector<std::size_t> obtain(std::vector<measure::Timings>& timings, std::span<const Wanted> wanted, const Measure& measure,
                                const TimingMemory& memory) {
  std::vector<const Wanted*> missing;
  std::vector<std::size_t> all_operands;
  timings.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<measure::Timings> known = memory.find ? memory.find(wanted[i].key) : std::nullopt;
    if (known) {
      timings[i] = std::move(*known);
    } else {
      missing.push_back(&wanted[i]);
      all_operands.push_back(i);
    }
  }
  if (missing.empty()) {
    return all_operands;
  }
  std::vector<measure::Timings> measured = measured_in_rounds(missing, measure);
  for (std::size_t i = 0; i < all_operands.size(); ++i) {
    const Wanted& one = wanted[all_operands[i]];
    timings[all_operands[i]] = one.alike ? joined(std::move(measured.at(i))) : std::move(measured.at(i));
    if (memory.keep) {
      memory.keep(one.key, timings[all_operands[i]]);
    }
  }
  return all_operands;
}

/// Measures the segments at `all_operands` again, on newly prepared memory, and adds their timings.
void measure_again(std::vector<measure::Timings>& timings, std::span<const Wanted> wanted, const std::set<std::size_t>& all_operands,
                   const Measure& measure, const TimingMemory& memory) {
  std::vector<measure::Experiment> experiments;
  for (const std::size_t operand : all_operands) {
    experiments.push_back(wanted[operand].experiment);
  }
  const std::vector<measure::Timings> later = measure(experiments);
  std::size_t i = 0;
  for (const std::size_t operand : all_operands) {
    if (is_empty(later.at(i))) {
      return;  // interrupted: the earlier timings suffice
    }
    append(timings[operand], joined(later[i++]));
    if (memory.keep) {
      memory.keep(wanted[operand].key, timings[operand]);
    }
  }
}

}  // namespace

std::vector<std::size_t> leaders(std::span<const Forecast> forecasts) {
  constexpr double close = 1.25;  // predictions err by half of this margin now and then
  std::vector<std::size_t> order = ranking(forecasts);
  const auto behind = std::find_if(order.begin(), order.end(),
                                   [&](std::size_t i) { return forecasts[i].seconds > close * forecasts[order.front()].seconds; });
  order.erase(behind, order.end());
  return order.size() > 1 ? order : std::vector<std::size_t>{};
}

Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory) {
  Forecasts result;
  BenchmarkOptions shared = options;
  shared.sweeper = std::make_shared<measure::Sweeper>(environment.caches);
  std::vector<std::vector<MicroBenchmark>> benchmarks;
  std::vector<Wanted> wanted;
  std::map<std::string, std::size_t> known;
  const auto want = [&](const std::string& key, const measure::Experiment& experiment, bool alike) {
    const bool is_new = known.emplace(key, wanted.size()).second;
    if (is_new) {
      wanted.push_back({key, experiment, alike});
    }
    return is_new;
  };
  for (const Algorithm& algorithm : algorithms) {
    benchmarks.push_back(micro_benchmarks(algorithm, contraction, environment, shared));
    for (const MicroBenchmark& benchmark : benchmarks.back()) {
      result.shared += want(benchmark.key, benchmark.experiment, benchmark.alike) ? 0 : 1;
      for (const NamedExperiment& companion : benchmark.isolation) {
        want(companion.key, companion.experiment, false);
      }
    }
  }
  result.benchmarks = wanted.size();
  std::vector<measure::Timings> timings;
  const std::vector<std::size_t> measured = obtain(timings, wanted, measure, memory);
  result.known = wanted.size() - measured.size();
  const auto timed_of = [&](const std::string& key, const std::string& what) { return summed(timings.at(known.at(key)), what); };
  const auto forecast_of = [&](std::size_t i) {
    Forecast forecast;
    for (const MicroBenchmark& benchmark : benchmarks[i]) {
      const std::string what = fmt::format("{} of {}", benchmark.what, algorithms[i].name());
      Timed timed = timed_of(benchmark.key, what);
      if (!benchmark.isolation.empty()) {
        subtract_isolation(timed, timed_of(benchmark.isolation.front().key, what).seconds,
                           timed_of(benchmark.isolation.back().key, what).seconds);
      }
      forecast.parts.push_back({benchmark.what, benchmark.calls, timed.seconds * benchmark.scale});
      forecast.seconds += benchmark.calls * benchmark.scale * timed.seconds;
      forecast.interval.low += benchmark.calls * benchmark.scale * timed.interval.low;
      forecast.interval.high += benchmark.calls * benchmark.scale * timed.interval.high;
    }
    return forecast;
  };
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    result.each.push_back(forecast_of(i));
  }
  std::set<std::size_t> decisive;
  const std::vector<std::size_t> leading = leaders(result.each);
  for (const std::size_t i : leading) {
    for (const MicroBenchmark& benchmark : benchmarks[i]) {
      const std::size_t operand = known.at(benchmark.key);
      if (benchmark.alike && std::find(measured.begin(), measured.end(), operand) != measured.end()) {
        decisive.insert(operand);
      }
    }
  }
  if (!decisive.empty()) {
    measure_again(timings, wanted, decisive, measure, memory);
    for (const std::size_t i : leading) {
      result.each[i] = forecast_of(i);
    }
  }
  return result;
}

std::vector<std::size_t> ranking(std::span<const Forecast> forecasts) {
  std::vector<std::size_t> order(forecasts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return forecasts[x].seconds < forecasts[y].seconds; });
  return order;
}

bool ties(const Forecast& x, const Forecast& y, double floor) {
  const bool overlap = x.interval.low <= y.interval.high && y.interval.low <= x.interval.high;
  return overlap || std::max(x.seconds, y.seconds) <= (1 + floor) * std::min(x.seconds, y.seconds);
}

}  // namespace flopcast::contract
