#include "flopcast/tune/validate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "flopcast/algorithm/registry.hpp"

namespace flopcast::tune {
namespace {

/// Below this the library's code, pushed out of the caches by other alternatives, would be a noticeable part of a run: one comes before.
constexpr Seconds short_run = 10e-3;

/// The call on operands of its own, with workspace for blocks of up to `most_columns` unless its size is given.
struct Placed {
  Call call;
  std::vector<Allocation> memory;
};

Placed place(const Call& call, std::int64_t most_columns) {
  Placed placed{call, {}};
  std::int64_t order = 1;
  for (const std::int64_t size : sizes(call)) {
    order = std::max(order, size);
  }
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::work_size && call.arguments[i] <= 0) {
      placed.call.arguments[i] = order * most_columns;
    }
  }
  placed.memory = algorithm::operand_allocations(placed.call);
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::data || kind == Kind::work || kind == Kind::pivots) {
      placed.memory[next].address = virtual_base(next);
      placed.call.arguments[i] = static_cast<std::int64_t>(virtual_base(next));
      ++next;
    }
  }
  return placed;
}

/// Difference between the medians of every other repetition and of the rest.
double split_half(const std::vector<Seconds>& times) {
  std::vector<Seconds> halves[2];
  for (std::size_t i = 0; i < times.size(); ++i) {
    halves[i % 2].push_back(times[i]);
  }
  return halves[1].empty() ? 0 : std::fabs(median(halves[0]) / median(halves[1]) - 1);
}

Check check(const Decision& decision, std::span<const measure::Timings> timings) {
  Check result;
  std::vector<double> noise;
  for (std::size_t f = 0; f < decision.forecasts.size(); ++f) {
    const Forecast& forecast = decision.forecasts[f];
    Measured measured{forecast.blocks, {}, 0, 0};
    if (f < timings.size() && !timings[f].calls.empty()) {
      for (const Repetition& repetition : timings[f].calls[0]) {
        if (!repetition.discarded) {
          measured.times.push_back(repetition.normalised());
        }
      }
    }
    if (measured.times.empty()) {
      continue;
    }
    measured.median = median(measured.times);
    measured.error = forecast.seconds / measured.median - 1;
    noise.push_back(split_half(measured.times));
    if (result.best == 0 || measured.median < result.best) {
      result.best = measured.median;
      result.best_blocks = measured.blocks;
    }
    if (forecast.blocks == decision.chosen.blocks) {
      result.chosen = measured.median;
    }
    if (forecast.blocks == decision.standard.blocks) {
      result.standard = measured.median;
    }
    result.measured.push_back(std::move(measured));
  }
  result.yield = result.chosen > 0 ? result.best / result.chosen : 0;
  result.noise = noise.empty() ? 0 : median(noise);
  return result;
}

}  // namespace

std::vector<Check> validate(std::span<const Problem> problems, std::span<const Decision> decisions, const Measure& measure,
                            const SetBlocks& set_blocks) {
  std::vector<measure::Experiment> experiments;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    std::int64_t most_columns = 1;
    for (const Forecast& forecast : decisions[p].forecasts) {
      most_columns = std::max(most_columns, forecast.blocks.nb);
    }
    const Placed placed = place(problems[p].call, most_columns);
    for (const Forecast& forecast : decisions[p].forecasts) {
      measure::Experiment experiment;
      experiment.memory = placed.memory;
      experiment.setup.push_back({.what = measure::Action::What::prepare,
                                  .hook = [&set_blocks, call = placed.call, blocks = forecast.blocks] { set_blocks(call, blocks); }});
      const measure::Action fill = {.what = measure::Action::What::fill, .call = placed.call};
      if (forecast.seconds < short_run) {
        experiment.setup.push_back(fill);
        experiment.setup.push_back({.what = measure::Action::What::execute, .call = placed.call});
      }
      experiment.setup.push_back(fill);
      experiment.timed = {placed.call};
      experiments.push_back(std::move(experiment));
    }
  }
  const std::vector<measure::Timings> timings = measure(experiments);
  std::vector<Check> checks;
  std::size_t first = 0;
  for (const Decision& decision : decisions) {
    const std::size_t count = std::min(decision.forecasts.size(), timings.size() - std::min(first, timings.size()));
    checks.push_back(check(decision, std::span(timings).subspan(std::min(first, timings.size()), count)));
    first += decision.forecasts.size();
  }
  return checks;
}

}  // namespace flopcast::tune
