#include "flopcast/contract/prediction/forecast.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "flopcast/contract/prediction/segment_experiment.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// The time of everything that one experiment timed, with its interval.
struct Timed {
  Seconds seconds = 0;
  Interval interval;  ///< interval of the medians
  double calls = 0;
  double spread = 0;  ///< relative standard deviation between moments meanwhile
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
  total.spread = std::max(timings.state.spread, timings.state.noise);
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
  std::vector<measure::Experiment> undecided;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_empty(all[i])) {
      return all;  // interrupted
    }
    const std::int64_t left = wanted[i]->experiment.max_repetitions - fewest_preparations;
    if (wanted[i]->alike && left > 0 && !agree(all[i])) {
      undecided.push_back(wanted[i]->experiment);
      undecided.back().max_repetitions = left;
      positions.push_back(i);
    }
  }
  if (!undecided.empty()) {
    const std::vector<measure::Timings> later = measure(undecided);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      append(all[positions[i]], later[i]);
    }
  }
  return all;
}

/// Fills in the timings of all experiments, from `memory` if known there, otherwise by measuring. Returns the positions of the measured
/// ones.
std::vector<std::size_t> obtain(std::vector<measure::Timings>& timings, std::span<const Wanted> wanted, const Measure& measure,
                                const TimingMemory& memory) {
  std::vector<const Wanted*> missing;
  std::vector<std::size_t> positions;
  timings.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<measure::Timings> known = memory.find ? memory.find(wanted[i].key) : std::nullopt;
    if (known) {
      timings[i] = std::move(*known);
    } else {
      missing.push_back(&wanted[i]);
      positions.push_back(i);
    }
  }
  if (missing.empty()) {
    return positions;
  }
  std::vector<measure::Timings> measured = measured_in_rounds(missing, measure);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Wanted& one = wanted[positions[i]];
    timings[positions[i]] = one.alike ? joined(std::move(measured.at(i))) : std::move(measured.at(i));
    if (memory.keep) {
      memory.keep(one.key, timings[positions[i]]);
    }
  }
  return positions;
}

/// Measures the segments at `positions` again, on newly prepared memory, and adds their timings.
void measure_again(std::vector<measure::Timings>& timings, std::span<const Wanted> wanted, const std::set<std::size_t>& positions,
                   const Measure& measure, const TimingMemory& memory) {
  std::vector<measure::Experiment> experiments;
  for (const std::size_t position : positions) {
    experiments.push_back(wanted[position].experiment);
  }
  const std::vector<measure::Timings> later = measure(experiments);
  std::size_t i = 0;
  for (const std::size_t position : positions) {
    if (is_empty(later.at(i))) {
      return;  // interrupted: the earlier timings suffice
    }
    append(timings[position], joined(later[i++]));
    if (memory.keep) {
      memory.keep(wanted[position].key, timings[position]);
    }
  }
}

/// The micro-benchmarks of several algorithms, their timings, and the forecasts that follow.
class Forecasting {
 public:
  Forecasting(std::span<const Algorithm> algorithms, const Measure& measure, const TimingMemory& memory, double session_deviation)
      : algorithms_(algorithms), measure_(measure), memory_(memory), session_deviation_(session_deviation) {}

  /// Collects the experiments of all algorithms; those with equal keys are one experiment.
  void gather(const Contraction& contraction, const Environment& environment, const BenchmarkOptions& options) {
    for (const Algorithm& algorithm : algorithms_) {
      benchmarks_.push_back(micro_benchmarks(algorithm, contraction, environment, options));
      for (const MicroBenchmark& benchmark : benchmarks_.back()) {
        result_.shared += want(benchmark.key, benchmark.experiment, benchmark.alike) ? 0 : 1;
        for (const NamedExperiment& companion : benchmark.isolation) {
          want(companion.key, companion.experiment, false);
        }
      }
    }
    result_.benchmarks = wanted_.size();
  }

  void measure() {
    measured_ = obtain(timings_, wanted_, measure_, memory_);
    result_.known = wanted_.size() - measured_.size();
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      result_.each.push_back(sum(i));
    }
  }

  /// Measures the leaders' segments once more, unless earlier runs have measured them.
  void look_again_at_leaders() {
    const std::vector<std::size_t> leading = leaders(result_.each);
    std::set<std::size_t> decisive;
    for (const std::size_t i : leading) {
      for (const MicroBenchmark& benchmark : benchmarks_[i]) {
        const std::size_t position = known_.at(benchmark.key);
        if (benchmark.alike && std::find(measured_.begin(), measured_.end(), position) != measured_.end()) {
          decisive.insert(position);
        }
      }
    }
    if (!decisive.empty()) {
      measure_again(timings_, wanted_, decisive, measure_, memory_);
      for (const std::size_t i : leading) {
        result_.each[i] = sum(i);
      }
    }
  }

  [[nodiscard]] Forecasts take() { return std::move(result_); }

 private:
  /// Returns whether the experiment is new.
  bool want(const std::string& key, const measure::Experiment& experiment, bool alike) {
    const bool is_new = known_.emplace(key, wanted_.size()).second;
    if (is_new) {
      wanted_.push_back({key, experiment, alike});
    }
    return is_new;
  }

  [[nodiscard]] Timed timed(const std::string& key, const std::string& what) const { return summed(timings_.at(known_.at(key)), what); }

  /// Returns the forecast of algorithm `i`: the sum over its micro-benchmarks.
  [[nodiscard]] AlgorithmForecast sum(std::size_t i) const {
    AlgorithmForecast forecast;
    Interval medians;
    double spread = 0;
    for (const MicroBenchmark& benchmark : benchmarks_[i]) {
      const std::string what = fmt::format("{} of {}", benchmark.what, algorithms_[i].name());
      Timed one = timed(benchmark.key, what);
      if (!benchmark.isolation.empty()) {
        subtract_isolation(one, timed(benchmark.isolation.front().key, what).seconds, timed(benchmark.isolation.back().key, what).seconds);
      }
      forecast.parts.push_back({benchmark.what, benchmark.calls, one.seconds * benchmark.scale});
      forecast.seconds += benchmark.calls * benchmark.scale * one.seconds;
      medians.low += benchmark.calls * benchmark.scale * one.interval.low;
      medians.high += benchmark.calls * benchmark.scale * one.interval.high;
      spread = std::max(spread, one.spread);
    }
    forecast.deviation = prediction::interval_deviation(medians);
    forecast.interval =
        prediction::predicted_interval(forecast.seconds, {forecast.deviation, {spread, session_deviation_}, micro_benchmark_error});
    return forecast;
  }

  std::span<const Algorithm> algorithms_;
  const Measure& measure_;
  const TimingMemory& memory_;
  double session_deviation_;
  std::vector<std::vector<MicroBenchmark>> benchmarks_;  ///< micro-benchmarks of each algorithm
  std::vector<Wanted> wanted_;                           ///< all different experiments
  std::map<std::string, std::size_t> known_;             ///< positions in wanted_ by key
  std::vector<measure::Timings> timings_;                ///< timings of the experiments in wanted_
  std::vector<std::size_t> measured_;                    ///< positions of experiments that `memory_` didn't know
  Forecasts result_;
};

}  // namespace

Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory, double session_deviation) {
  BenchmarkOptions shared = options;
  shared.sweeper = std::make_shared<measure::Sweeper>(environment.caches);
  Forecasting forecasting(algorithms, measure, memory, session_deviation);
  forecasting.gather(contraction, environment, shared);
  forecasting.measure();
  forecasting.look_again_at_leaders();
  return forecasting.take();
}

}  // namespace flopcast::contract
