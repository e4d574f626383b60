#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/predict/placed_models.hpp"
#include "flopcast/tasks/programs/what_if_services.hpp"
#include "flopcast/tune/sampling.hpp"
#include "tests/moody_machine.hpp"

namespace flopcast::tests {

/// A library on a moody machine, whose kernels are sampled in several sessions.
class MoodyLibrary : public WhatIfLibraries {
 public:
  MoodyLibrary(MoodyMachine& machine, double speed, int threads = 1)
      : machine_(machine), speed_(speed), environment_(synthetic_environment()) {
    environment_.fingerprint += std::to_string(speed);
    environment_.threads = threads;
    samples_.emplace(environment_);
    models_.emplace(*samples_);
  }

  [[nodiscard]] const Environment& environment() const override { return environment_; }
  RunDeviation run_deviation() override { return samples_->run_deviation(); }
  const prediction::KernelModels& models(std::vector<tuning::Subject>& traces, Seconds, const std::string&) override {
    tuning::SamplingServices sources;
    sources.measure = [this](std::span<const measure::Experiment> experiments) {
      std::vector<measure::Timings> all = machine_.time(experiments);
      for (measure::Timings& timings : all) {
        for (std::vector<Repetition>& call : timings.calls) {
          for (Repetition& repetition : call) {
            repetition.seconds /= speed_;
          }
        }
      }
      return all;
    };
    sources.observe = [this] { return machine_.state(); };
    sources.elapsed = [this] { return machine_.clock(); };
    for (int s = 0; s < sessions; ++s) {
      machine_.begin_session();
      tuning::OnDemandSampler(environment_, *samples_, sources).refine(traces, 0.01, machine_.clock() + 1);
    }
    return *models_;
  }
  std::vector<program::TunableCall> tunable_calls(const Call& call) override { return {{call, {}}}; }
  std::vector<Call> kernel_calls(const Call& call, const algorithm::BlockParameters&) override { return {call}; }
  /// Returns decisions without times, as for calls that a recording without data can't repeat.
  tuning::BlockSizeResult choose_blocks(std::span<const tuning::Problem> problems, Seconds, const std::string&) override {
    tuning::BlockSizeResult result;
    result.decisions.resize(problems.size());
    return result;
  }

 private:
  static constexpr int sessions = 6;
  MoodyMachine& machine_;
  double speed_;
  Environment environment_;
  std::optional<model::OnDemandModels> samples_;
  std::optional<prediction::PlacedModels> models_;
};

}  // namespace flopcast::tests
