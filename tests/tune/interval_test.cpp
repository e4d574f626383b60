#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/tune/block_size.hpp"
#include "tests/moody_machine.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tuning {
namespace {

using tests::MoodyMachine;

Problem cholesky() {
  Problem problem;
  problem.call = kernel::parse_call(kernel::require("dpotrf"), {{"uplo", "L"}, {"n", "256"}});
  problem.alternatives = {{"1", {64, 2, 0}}, {"2", {64, 2, 0}}, {"3", {64, 2, 0}}};
  return problem;
}

/// Returns sources that time kernels in the machine's present session.
BlockSizeSources sources(MoodyMachine& machine) {
  BlockSizeSources s;
  s.trace = [](const Call& call, const Alternative& alternative) {
    return algorithm::record(call, alternative.blocks, alternative.variant);
  };
  s.placements = [](const Trace& trace) {
    return cache::cache_state(trace, tests::synthetic_environment().caches, cache::Start::filled).placements;
  };
  s.sampling.measure = [&machine](std::span<const measure::Experiment> experiments) { return machine.time(experiments); };
  s.sampling.observe = [&machine] { return machine.state(); };
  s.sampling.elapsed = [&machine] { return machine.clock(); };
  return s;
}

/// Ranks variants in several sessions of a machine whose speed differs from session to session, from moment to moment and from process to
/// process, and runs them later. The sources of its times are those of which an interval consists.
TEST(Intervals, ContainLaterRunsOfVariants) {
  const Environment environment = tests::synthetic_environment();
  const std::vector<Problem> problems{cholesky()};
  static constexpr int machines = 60, sessions = 6, runs = 10;
  double within = 0, all = 0;
  for (int m = 0; m < machines; ++m) {
    MoodyMachine machine(static_cast<std::uint64_t>(m));
    model::OnDemandModels models(environment);
    const BlockSizeSources from = sources(machine);
    BlockSizeOptions options;
    options.tune_crossover = false;
    options.target = 0.01;
    BlockSizeResult result;
    for (int s = 0; s < sessions; ++s) {
      machine.begin_session();
      options.time_budget = machine.clock() + 1;
      result = tune_block_size(problems, environment, models, from, options);
    }
    for (const Forecast& forecast : result.decisions.at(0).forecasts) {
      const Trace trace = from.trace(problems[0].call, {forecast.variant, forecast.blocks});
      for (int r = 0; r < runs; ++r) {
        const Seconds seconds = tests::synthetic_seconds(trace) * machine.later_run();
        within += seconds >= forecast.interval.low && seconds <= forecast.interval.high ? 1 : 0;
        all += 1;
      }
    }
  }
  EXPECT_GE(within / all, 0.90);
  EXPECT_LE(within / all, 0.98);
}

}  // namespace
}  // namespace flopcast::tuning
