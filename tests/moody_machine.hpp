#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/measure/experiment.hpp"
#include "flopcast/support/units.hpp"
#include "tests/synthetic_kernels.hpp"

namespace flopcast::tests {

/// A machine with synthetic kernels whose times differ between sessions by 3 %, between moments of a session by 2 % and between processes by
/// 3 % (relative standard deviations of normal logarithms). The reference kernel shows sessions and moments, but not processes.
class MoodyMachine {
 public:
  explicit MoodyMachine(std::uint64_t seed) : random_(seed) {}

  /// Begins a session an hour after the one before, in a mood of its own.
  void begin_session() {
    ++sessions_;
    mood_ = between_sessions * normal_(random_);
    double squares = 0;
    for (int i = 0; i < seen_moments; ++i) {
      const double moment = between_moments * normal_(random_);
      squares += moment * moment;
    }
    spread_ = std::sqrt(squares / seen_moments);
  }

  [[nodiscard]] MachineState state() const { return {490000.0 + sessions_, 1e-3 * std::exp(mood_), 0, spread_}; }
  [[nodiscard]] Seconds clock() const { return clock_; }

  /// Times kernels in the present session. Drifts relate every repetition to the session.
  std::vector<measure::Timings> time(std::span<const measure::Experiment> experiments) {
    static constexpr double noise = 0.01;
    std::vector<measure::Timings> all;
    for (const measure::Experiment& experiment : experiments) {
      measure::Timings timings;
      timings.state = state();
      for (const Call& call : experiment.timed) {
        timings.calls.push_back(noisy_repetitions(synthetic_seconds(call) * std::exp(mood_), noise, normal_, random_, clock_));
        for (Repetition& repetition : timings.calls.back()) {
          repetition.drift = std::exp(between_moments * normal_(random_));
          repetition.seconds *= repetition.drift;
        }
      }
      all.push_back(timings);
    }
    return all;
  }

  /// Returns the factor by which a run in another session, at any moment and in a process of its own differs from the truth.
  double later_run() {
    return std::exp(between_sessions * normal_(random_) + between_moments * normal_(random_) + between_processes * normal_(random_));
  }

 private:
  static constexpr double between_sessions = 0.03, between_moments = 0.02, between_processes = 0.03;
  static constexpr int seen_moments = 20;

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  int sessions_ = 0;
  double mood_ = 0, spread_ = 0;
  Seconds clock_ = 0;
};

}  // namespace flopcast::tests
