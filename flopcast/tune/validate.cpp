#include "flopcast/tune/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/measure/repetitions.hpp"

namespace flopcast::tuning {
namespace {

/// Shorter runs come twice: otherwise loading the library's code, which other alternatives pushed out of the caches, would be a noticeable
/// part.
constexpr Seconds short_run = 10e-3;

/// A call on operands of its own, with workspace for `alternative` unless its size is given.
struct Placed {
  Call call;
  std::vector<Allocation> memory;
};

Placed place(const Call& call, const Alternative& alternative) {
  Placed placed;
  placed.call = alternative.variant.empty()
                    ? algorithm::with_workspace(call)
                    : algorithm::with_workspace(call, alternative.blocks, algorithm::require(*call.routine, alternative.variant));
  placed.memory = algorithm::place_operands(placed.call);
  return placed;
}

/// Returns true if a ranking is decided without running this one: LAPACK's own trsyl of order 2000 takes a minute, and its blocked variants
/// 1 s.
bool is_hopeless(const Forecast& forecast, const Decision& decision) {
  static constexpr double hopeless = 8;
  static constexpr Seconds long_run = 2;
  return forecast.seconds > long_run && forecast.seconds > hopeless * decision.chosen.seconds;
}

/// Returns the forecasts of a decision that are to be run.
std::vector<Forecast> forecasts_to_run(const Decision& decision, Extent extent) {
  if (extent == Extent::all) {
    return decision.forecasts;
  }
  std::vector<Forecast> some;
  for (const Forecast& forecast : decision.forecasts) {
    const bool ranked = std::any_of(decision.ranking.begin(), decision.ranking.end(),
                                    [&](const VariantRank& variant) { return same_alternative(variant.best, forecast); });
    const bool wanted = ranked || (decision.default_.seconds > 0 && same_alternative(forecast, decision.default_));
    if (wanted && !is_hopeless(forecast, decision)) {
      some.push_back(forecast);
    }
  }
  return some;
}

/// Returns the difference between the medians of every other repetition and of the rest.
double split_half(const std::vector<Seconds>& times) {
  std::vector<Seconds> halves[2];
  for (std::size_t i = 0; i < times.size(); ++i) {
    halves[i % 2].push_back(times[i]);
  }
  return halves[1].empty() ? 0 : std::fabs(median(halves[0]) / median(halves[1]) - 1);
}

/// Returns the experiment that runs one alternative, on operands filled anew.
measure::Experiment experiment(const Placed& placed, const Forecast& forecast, const Runners& runners) {
  using measure::Action;
  measure::Experiment experiment;
  experiment.memory = placed.memory;
  experiment.timed = {placed.call};
  if (forecast.variant.empty()) {
    experiment.setup.push_back({.what = Action::What::prepare,
                                .hook = [&runners, call = placed.call, blocks = forecast.blocks] { runners.set_blocks(call, blocks); }});
  } else {
    experiment.perform = [&runners, alternative = Alternative{forecast.variant, forecast.blocks}](const Call& call) {
      return runners.execute(call, alternative);
    };
  }
  const Action fill = {.what = Action::What::fill, .call = placed.call};
  if (forecast.seconds < short_run) {
    experiment.setup.push_back(fill);
    experiment.setup.push_back({.what = forecast.variant.empty() ? Action::What::execute : Action::What::perform, .call = placed.call});
  }
  experiment.setup.push_back(fill);
  return experiment;
}

/// Returns the times of an alternative's runs, and how far its forecast lies from them.
Measured measured_times(const Forecast& forecast, std::span<const Repetition> runs) {
  Measured measured{.variant = forecast.variant, .blocks = forecast.blocks};
  for (const Repetition& run : runs) {
    measured.wall_times.push_back(run.seconds);
    if (!run.discarded) {
      measured.times.push_back(run.normalised());
    }
  }
  if (!measured.times.empty()) {
    measured.median = median(measured.wall_times);
    measured.error = forecast.seconds / measured.median - 1;
    measured.normalised_error = forecast.seconds / median(measured.times) - 1;
    measured.within = static_cast<std::size_t>(std::count_if(measured.wall_times.begin(), measured.wall_times.end(), [&](Seconds run) {
      return forecast.interval.low <= run && run <= forecast.interval.high;
    }));
  }
  return measured;
}

}  // namespace

Check compare_runs(const Decision& decision, std::span<const Forecast> forecasts, std::span<const measure::Timings> timings) {
  Check result;
  std::vector<double> differences;
  for (std::size_t f = 0; f < forecasts.size(); ++f) {
    const Forecast& forecast = forecasts[f];
    if (f >= timings.size() || timings[f].calls.empty()) {
      continue;
    }
    for (const std::string& warning : timings[f].warnings) {
      const std::string blocks = forecast.blocks.nb > 0 ? fmt::format(", nb {}", forecast.blocks.nb) : "";
      result.warnings.push_back({fmt::format("{} {}{}", decision.sizes.empty() ? 0 : decision.sizes.front(),
                                             forecast.variant.empty() ? "library" : forecast.variant, blocks),
                                 warning});
    }
    Measured measured = measured_times(forecast, timings[f].calls[0]);
    if (measured.times.empty()) {
      continue;
    }
    differences.push_back(split_half(measured.wall_times));
    if (result.best_seconds == 0 || measured.median < result.best_seconds) {
      result.best_seconds = measured.median;
      result.best = {measured.variant, measured.blocks};
    }
    if (same_alternative(forecast, decision.chosen)) {
      result.chosen_seconds = measured.median;
    }
    if (same_alternative(forecast, decision.default_)) {
      result.default_seconds = measured.median;
    }
    result.measured.push_back(std::move(measured));
  }
  result.yield = result.chosen_seconds > 0 ? result.best_seconds / result.chosen_seconds : 0;
  result.regret = result.chosen_seconds > 0 ? result.chosen_seconds / result.best_seconds - 1 : 0;
  result.repeatability = differences.empty() ? 0 : median(differences);
  result.order = check_order(decision, result);
  return result;
}

Check validate(const Problem& problem, const Decision& decision, const Measure& measure, const Runners& runners, Extent extent) {
  const std::vector<Forecast> run = forecasts_to_run(decision, extent);
  std::vector<measure::Experiment> experiments;
  for (const Forecast& forecast : run) {
    experiments.push_back(experiment(place(problem.call, {forecast.variant, forecast.blocks}), forecast, runners));
  }
  Check result = compare_runs(decision, run, measure(experiments));
  result.complete = result.measured.size() == run.size();
  return result;
}

Seconds validation_seconds(const Problem& problem, const Decision& decision, const measure::StopRule& rule, Extent extent) {
  static constexpr double fill_bandwidth = 1e9;  // bytes per second
  const double fill = static_cast<double>(footprint_bytes(problem.call)) / fill_bandwidth;
  Seconds sum = 0;
  for (const Forecast& forecast : forecasts_to_run(decision, extent)) {
    const double runs = forecast.seconds < short_run ? 2 : 1;  // the first of two runs only warms up
    sum += static_cast<double>(measure::repetitions(rule, forecast.seconds)) * runs * (forecast.seconds + fill);
  }
  return sum;
}

OrderCheck check_order(const Decision& decision, const Check& check, double margin) {
  std::vector<Seconds> medians;  // in the predicted order
  for (const VariantRank& variant : decision.ranking) {
    const auto found = std::find_if(check.measured.begin(), check.measured.end(), [&](const Measured& measured) {
      return measured.variant == variant.best.variant && measured.blocks == variant.best.blocks;
    });
    if (found != check.measured.end()) {
      medians.push_back(found->median);
    }
  }
  OrderCheck result;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    for (std::size_t j = i + 1; j < medians.size(); ++j) {
      if (std::max(medians[i], medians[j]) > (1 + margin) * std::min(medians[i], medians[j])) {
        ++result.pairs;
        result.right += medians[i] < medians[j] ? 1 : 0;
      }
    }
  }
  return result;
}

}  // namespace flopcast::tuning
