#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/tasks/modelling/model_check_services.hpp"
#include "flopcast/tune/kept_segments.hpp"
#include "flopcast/tune/sampling.hpp"
#include "tests/own_folder.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tests {

/// A machine whose kernels have known times, and a store with samples of it. Its clock advances by the runs that it makes.
class CheckedMachine {
 public:
  Environment environment = synthetic_environment();
  OwnFolder folder;
  model::Store store = model::Store::open(folder.path() / "flopcast.db");
  MachineState state{490000, 0.8e-3, 0, 0.001};
  std::map<std::string, double> slowness;  ///< routines take this many times as long
  double everything = 1;                   ///< slowness of all routines together
  double noise = 0.01;                     ///< relative standard deviation of runs
  double between_sessions = 0.02;          ///< relative standard deviation of a place's time between sessions
  std::int64_t runs_per_call = 5;
  Seconds clock = 0;
  std::function<void()> at_run = [] {};  ///< called before every run of a segment

  [[nodiscard]] Seconds truth(const Call& call) const {
    const auto found = slowness.find(call.routine->family);
    return synthetic_seconds(call) * everything * (found == slowness.end() ? 1 : found->second);
  }

  /// Fills the store with samples of dgeqrf of several orders in the present session, as a tuning does.
  void sample() {
    std::vector<tuning::Subject> subjects;
    for (const char* n : {"200", "320", "448", "600"}) {
      const Call call = kernel::parse_call(kernel::require("dgeqrf"), {{"m", n}, {"n", n}, {"lda", n}});
      Trace trace = algorithm::record(call, {32, 2, 64});
      std::vector<Placement> placements = cache::cache_state(trace, environment.caches, cache::Start::filled).placements;
      subjects.push_back({std::move(trace), std::move(placements), 1});
    }
    tuning::SamplingServices sources;
    sources.measure = [this](std::span<const measure::Experiment> experiments) {
      return time(experiments, [](std::int64_t, std::int64_t) { return true; });
    };
    sources.observe = [this] { return state; };
    sources.keep = [this](std::span<const Sample> samples) { store.add_samples(samples); };
    sources.keep_segments = [this](std::span<const tuning::KeptSegment> segments) { tuning::keep_segments(store, environment, segments); };
    sources.elapsed = [this, begin = clock] { return clock - begin; };
    model::OnDemandModels models(environment);
    tuning::OnDemandSampler(environment, models, sources).refine(subjects, 0.001, 5);
    next_session(5);
  }

  /// A new session begins some hours later.
  void next_session(double hours) {
    state.session += hours;
    ++session_;
  }

  ModelCheckServices services() {
    clock = 0;
    return {environment, store, [this] { return state; },
            [this](std::span<const measure::Experiment> experiments, const Progress& go_on) { return time(experiments, go_on); },
            [this] { return clock; }};
  }

  [[nodiscard]] model::OnDemandModels models() const {
    model::OnDemandModels models(environment);
    for (const ModelKey& key : store.sampled_keys()) {
      for (const Sample& sample : store.samples(key)) {
        models.add(sample, call_of(sample, kernel::find));
      }
    }
    models.fit();
    return models;
  }

 private:
  /// Returns the factor by which a place's time differs in this session.
  [[nodiscard]] double offset(const Call& call) const {
    std::uint64_t seed = 77 * session_;
    for (const std::int64_t size : sizes(call)) {
      seed = 1'000'003 * seed + static_cast<std::uint64_t>(size);
    }
    std::mt19937_64 random(seed + std::hash<std::string>()(call.routine->name));
    random.discard(3);
    return std::exp(between_sessions * std::normal_distribution<double>()(random));
  }

  std::vector<measure::Timings> time(std::span<const measure::Experiment> experiments, const Progress& go_on) {
    std::vector<measure::Timings> all(experiments.size());
    std::normal_distribution<double> normal;
    for (std::size_t e = 0; e < experiments.size(); ++e) {
      all[e].state = state;
      all[e].calls.resize(experiments[e].timed.size());
    }
    for (std::int64_t r = 0; r < runs_per_call; ++r) {
      for (std::size_t e = 0; e < experiments.size(); ++e) {
        at_run();
        for (const measure::Action& action : experiments[e].setup) {
          clock += action.what == measure::Action::What::execute ? truth(action.call) : 0;
        }
        for (std::size_t c = 0; c < experiments[e].timed.size(); ++c) {
          const Call& call = experiments[e].timed[c];
          const Seconds seconds = truth(call) * offset(call) * std::exp(noise * normal(random_));
          all[e].calls[c].push_back({.seconds = seconds});
          clock += seconds;
        }
        if (!go_on(r, runs_per_call)) {
          return all;
        }
      }
    }
    return all;
  }

  std::uint64_t session_ = 1;
  std::mt19937_64 random_{5};
};

}  // namespace flopcast::tests
