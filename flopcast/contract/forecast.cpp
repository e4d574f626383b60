#include "flopcast/contract/forecast.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "flopcast/core/error.hpp"

namespace flopcast::contract {
namespace {

/// Time of everything that one experiment timed, with its interval.
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

/// Takes off what standing alone costs each call; none becomes quicker than a warm one among many.
void subtract_isolation(Timed& timed, Seconds alone, Seconds together) {
  const Seconds cost = timed.calls * std::max(0.0, alone - together);
  const auto reduced = [&](Seconds seconds) { return std::max(seconds - cost, std::min(seconds, timed.calls * together)); };
  timed.seconds = reduced(timed.seconds);
  timed.interval.low = reduced(timed.interval.low);
  timed.interval.high = reduced(timed.interval.high);
}

/// Repetitions of all calls as those of one.
measure::Timings joined(measure::Timings timings) {
  std::vector<Repetition> all;
  for (const std::vector<Repetition>& call : timings.calls) {
    all.insert(all.end(), call.begin(), call.end());
  }
  timings.calls = {std::move(all)};
  return timings;
}

/// What is to be measured.
struct Wanted {
  std::string key;
  measure::Experiment experiment;
  bool alike = false;  ///< MicroBenchmark::alike
};

/// Timings of all experiments: what `memory` knows, and the rest measured in one run; gives how many were known.
std::size_t obtain(std::vector<measure::Timings>& timings, std::span<const Wanted> wanted, const Measure& measure,
                   const TimingMemory& memory) {
  std::vector<measure::Experiment> missing;
  std::vector<std::size_t> places;
  timings.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::optional<measure::Timings> known = memory.find ? memory.find(wanted[i].key) : std::nullopt;
    if (known) {
      timings[i] = std::move(*known);
    } else {
      missing.push_back(wanted[i].experiment);
      places.push_back(i);
    }
  }
  std::vector<measure::Timings> measured = measure(missing);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Wanted& one = wanted[places[i]];
    timings[places[i]] = one.alike ? joined(std::move(measured.at(i))) : std::move(measured.at(i));
    if (memory.keep) {
      memory.keep(one.key, timings[places[i]]);
    }
  }
  return wanted.size() - missing.size();
}

}  // namespace

Forecasts forecast(std::span<const Algorithm> algorithms, const Contraction& contraction, const Environment& environment,
                   const BenchmarkOptions& options, const Measure& measure, const TimingMemory& memory) {
  Forecasts result;
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
    benchmarks.push_back(micro_benchmarks(algorithm, contraction, environment, options));
    for (const MicroBenchmark& benchmark : benchmarks.back()) {
      result.shared += want(benchmark.key, benchmark.experiment, benchmark.alike) ? 0 : 1;
      for (const NamedExperiment& companion : benchmark.isolation) {
        want(companion.key, companion.experiment, false);
      }
    }
  }
  result.benchmarks = wanted.size();
  std::vector<measure::Timings> timings;
  result.known = obtain(timings, wanted, measure, memory);
  const auto timed_of = [&](const std::string& key, const std::string& what) { return summed(timings.at(known.at(key)), what); };
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
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
    result.each.push_back(std::move(forecast));
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
