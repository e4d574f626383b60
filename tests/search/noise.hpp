#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

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

}  // namespace flopcast::search
