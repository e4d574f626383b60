#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "flopcast/search/race.hpp"

namespace flopcast::search {

/// A fake machine: true costs times log-normal noise, outliers, a clock with two levels, a drift, and other
/// programs, each of which may be switched off.
class FakeMachine {
 public:
  struct Noise {
    double spread = 0.05;   ///< standard deviation of the logarithm
    double outliers = 0;    ///< share of evaluations that take up to three times as long, with a heavy tail
    double clock_step = 0;  ///< relative slowdown in the slow state, which comes and goes every 50 evaluations on average
    double drift = 0;       ///< amplitude of a slow wave
    double busy = 0;        ///< share of groups of successive evaluations that other programs slow down by up to a factor of 1.9
  };

  FakeMachine(std::vector<double> truth, Noise noise, std::uint64_t seed) : truth_(std::move(truth)), noise_(noise), random_(seed) {}

  double operator()(std::size_t configuration) {
    double cost = truth_[configuration] * std::exp(noise_.spread * normal_(random_));
    if (uniform_(random_) < noise_.outliers) {
      cost *= 1 + 0.1 / (uniform_(random_) + 0.05);
    }
    slow_ = uniform_(random_) < 0.02 ? !slow_ : slow_;
    cost *= slow_ ? 1 + noise_.clock_step : 1;
    if (noise_.busy > 0) {
      cost *= load();
    }
    return cost * (1 + noise_.drift * std::sin(static_cast<double>(++evaluations_) / 300));
  }

  [[nodiscard]] std::int64_t evaluations() const { return evaluations_; }

 private:
  double load() {
    if (left_-- <= 0) {
      load_ = uniform_(random_) < noise_.busy ? 1 + 0.9 * uniform_(random_) : 1;
      left_ = static_cast<int>(6 * uniform_(random_));
    }
    return load_;
  }

  std::vector<double> truth_;
  Noise noise_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  bool slow_ = false;
  double load_ = 1;
  int left_ = 0;  ///< remaining evaluations under this load
  std::int64_t evaluations_ = 0;
};

/// Returns `count` costs spread uniformly at random over [1, 1.6], like the 96 gemm shapes: a few within 2 % of the best.
inline std::vector<double> random_costs(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(1.0, 1.6);
  std::vector<double> costs(count);
  for (double& cost : costs) {
    cost = uniform(random);
  }
  return costs;
}

/// Results of many races.
struct Outcome {
  int good = 0;  ///< trials whose leader lies within the tolerance of the best
  int kept = 0;  ///< trials whose ties hold the best
  std::int64_t evaluations = 0;
};

/// Races `count` random configurations under noise in each of `trials` trials.
inline Outcome race_many(const FakeMachine::Noise& noise, int trials, std::size_t count = 96) {
  Outcome outcome;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    const std::vector<double> truth = random_costs(count, seed);
    FakeMachine machine(truth, noise, 1000 + seed);
    RaceOptions options;
    options.seed = seed;
    const RaceResult result = race(all(count), std::ref(machine), options);
    const auto best = std::min_element(truth.begin(), truth.end());
    outcome.good += truth[*result.leader] * (1 - options.tolerance) <= *best ? 1 : 0;
    outcome.kept += std::count(result.ties.begin(), result.ties.end(), static_cast<std::size_t>(best - truth.begin())) > 0 ? 1 : 0;
    outcome.evaluations += result.evaluations;
    EXPECT_EQ(result.evaluations, machine.evaluations());
    EXPECT_LE(result.error_probability, options.error_probability);
  }
  return outcome;
}

}  // namespace flopcast::search
