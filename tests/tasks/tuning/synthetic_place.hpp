#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/tasks/tuning/tuning_services.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::testing {

/// A machine whose kernels have known times, and a LAPACK whose routines are flopcast's own algorithms. Its clock advances by what it times.
class SyntheticMachine {
 public:
  Seconds clock = 0;
  double speed = 1;    ///< all kernels are this many times as fast
  MachineState state;  ///< state in which kernels are timed
  std::vector<Sample> kept;
  std::size_t timed = 0;
  bool stop = false;
  std::vector<std::string> notes, noisy;  ///< texts that the context received
  std::map<std::string, algorithm::BlockParameters> blocks_set;
  algorithm::BlockParameters defaults{32, 2, 128};

  static Environment environment() {
    Environment environment = tests::synthetic_environment();
    environment.lapack.name = "synthetic";
    return environment;
  }

  [[nodiscard]] Seconds truth(const Call& call) const { return tests::synthetic_seconds(call) / speed; }
  [[nodiscard]] Seconds truth(const Trace& trace) const { return tests::synthetic_seconds(trace) / speed; }

  TuningServices place() {
    TuningServices place;
    place.environment = environment();
    place.models = [this](const std::set<std::string>&) {
      model::OnDemandModels models(environment());
      for (const Sample& sample : kept) {
        models.add(sample, call_of(sample, kernel::find));
      }
      models.fit();
      return models;
    };
    place.sampling = [this](const SamplingLimits&) {
      tuning::SamplingServices services;
      services.measure = [this](std::span<const measure::Experiment> experiments) { return time(experiments); };
      services.observe = [this] { return state; };
      services.keep = [this](std::span<const Sample> samples) { kept.insert(kept.end(), samples.begin(), samples.end()); };
      services.elapsed = [this, begin = clock] { return clock - begin; };
      services.interrupted = [this] { return stop; };
      return services;
    };
    place.measure = [this](std::span<const measure::Experiment> experiments, const measure::StopRule&, const Progress&) {
      return run(experiments);
    };
    place.clock = [this] { return clock; };
    place.tunable_calls = [this](const Call& call) { return std::vector<program::TunableCall>{{call, query(call)}}; };
    place.block_size_query = [this](const Call& call) { return std::optional(query(call)); };
    place.record = [](const Call& call, const std::optional<algorithm::BlockParameters>& blocks) {
      return algorithm::record(call, blocks.value_or(algorithm::BlockParameters{}));
    };
    place.set_blocks = [this](const std::string& routine, const algorithm::BlockParameters& blocks) { blocks_set[routine] = blocks; };
    return place;
  }

  RunContext context() {
    RunContext context;
    context.note = [this](const std::string& text) { notes.push_back(text); };
    context.noise = [this](const std::string& text) { noisy.push_back(text); };
    context.cancelled = [this] { return stop; };
    return context;
  }

 private:
  [[nodiscard]] protocol::BlockSizeQuery query(const Call& call) const {
    const auto s = sizes(call);
    return {"", s[0], s.size() > 1 ? s[1] : -1, defaults};
  }

  /// Times kernel calls, with 1 % of noise.
  std::vector<measure::Timings> time(std::span<const measure::Experiment> experiments) {
    std::vector<measure::Timings> all;
    std::normal_distribution<double> normal;
    for (const measure::Experiment& experiment : experiments) {
      measure::Timings timings;
      timings.state = state;
      for (const Call& call : experiment.timed) {
        timings.calls.push_back(tests::noisy_repetitions(truth(call), 0.01, normal, random_, clock));
      }
      ++timed;
      all.push_back(timings);
    }
    return all;
  }

  /// Runs the library's own routine with the block sizes that are set.
  std::vector<measure::Timings> run(std::span<const measure::Experiment> experiments) {
    std::vector<measure::Timings> all;
    for (const measure::Experiment& experiment : experiments) {
      for (const measure::Action& action : experiment.setup) {
        if (action.hook) {
          action.hook();
        }
      }
      const Call& call = experiment.timed.front();
      const Seconds seconds = truth(algorithm::record(call, blocks_set.at(call.routine->name)));
      clock += seconds;
      measure::Timings timings;
      timings.calls = {{{.seconds = seconds}, {.seconds = seconds}}};
      all.push_back(timings);
    }
    return all;
  }

  std::mt19937_64 random_{7};
};

}  // namespace flopcast::testing
