#include "flopcast/predict/contention.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace flopcast::prediction {
namespace {

/// The present state of one thread.
struct Caller {
  std::size_t step = 0;  // present call, or the one after the present pause
  bool pausing = true;
  Seconds left = 0;   // remaining time of the pause, or of the call with all its cores
  Seconds begun = 0;  // start of the call
};

class ContentionSimulation {
 public:
  ContentionSimulation(std::span<const std::vector<CallerStep>> threads, double cpus)
      : threads_(threads), cpus_(cpus), callers_(threads.size()) {
    for (std::size_t t = 0; t < threads.size(); ++t) {
      durations_.emplace_back(threads[t].size());
      callers_[t].left = threads[t].empty() ? 0 : threads[t].front().pause;
    }
  }

  std::vector<std::vector<Seconds>> run() {
    while (const std::size_t next = first_to_end()) {
      advance(next - 1);
    }
    return std::move(durations_);
  }

 private:
  [[nodiscard]] bool ended(std::size_t t) const { return callers_[t].step >= threads_[t].size(); }
  [[nodiscard]] double asked(std::size_t t) const {
    return std::min(static_cast<double>(std::max(1, threads_[t][callers_[t].step].cores)), cpus_);
  }

  /// Returns the progress of calls per second.
  [[nodiscard]] double speed() const {
    double sum = 0;
    for (std::size_t t = 0; t < callers_.size(); ++t) {
      sum += !ended(t) && !callers_[t].pausing ? asked(t) : 0;
    }
    return sum <= cpus_ ? 1 : cpus_ / sum;
  }

  /// Returns one more than the number of the thread whose pause or call ends first, or 0 if all threads have ended. Sets the time until
  /// then.
  std::size_t first_to_end() {
    const double of_calls = speed();
    std::size_t first = 0;
    until_ = std::numeric_limits<Seconds>::infinity();
    for (std::size_t t = 0; t < callers_.size(); ++t) {
      if (const Seconds wait = ended(t) ? until_ : callers_[t].left / (callers_[t].pausing ? 1 : of_calls); !ended(t) && wait < until_) {
        until_ = wait;
        first = t + 1;
      }
    }
    speed_ = of_calls;
    return first;
  }

  /// Advances the time until thread `done` has ended its present pause or call.
  void advance(std::size_t done) {
    for (std::size_t t = 0; t < callers_.size(); ++t) {
      callers_[t].left = std::max(0.0, callers_[t].left - until_ * (callers_[t].pausing ? 1 : speed_));
    }
    now_ += until_;
    Caller& caller = callers_[done];
    const std::vector<CallerStep>& steps = threads_[done];
    if (caller.pausing) {
      caller.pausing = false;
      caller.begun = now_;
      caller.left = std::max(0.0, steps[caller.step].work);
      return;
    }
    durations_[done][caller.step] = now_ - caller.begun;
    caller.pausing = true;
    caller.left = ++caller.step < steps.size() ? std::max(0.0, steps[caller.step].pause) : 0;
  }

  std::span<const std::vector<CallerStep>> threads_;
  double cpus_;
  std::vector<Caller> callers_;
  std::vector<std::vector<Seconds>> durations_;
  Seconds now_ = 0, until_ = 0;
  double speed_ = 1;
};

/// Returns the work of the calls, which is their duration without contention.
std::vector<std::vector<Seconds>> work_of(std::span<const std::vector<CallerStep>> threads) {
  std::vector<std::vector<Seconds>> all;
  for (const std::vector<CallerStep>& steps : threads) {
    all.emplace_back();
    for (const CallerStep& step : steps) {
      all.back().push_back(step.work);
    }
  }
  return all;
}

}  // namespace

TracePrediction with_durations(TracePrediction prediction, std::span<const Seconds> durations) {
  Seconds sum = 0;
  for (std::size_t c = 0; c < durations.size(); ++c) {
    prediction.calls.at(c).seconds = durations[c];
    sum += durations[c];
  }
  const double slowdown = prediction.seconds > 0 ? sum / prediction.seconds : 1;
  prediction.seconds = sum;
  prediction.extrapolated *= slowdown;
  prediction.interval = prediction.interval * slowdown;
  prediction.deviation *= slowdown;
  for (KernelPrediction& kernel : prediction.kernels) {
    kernel.seconds *= slowdown;
    kernel.deviation *= slowdown;
    kernel.extrapolated *= slowdown;
  }
  return prediction;
}

double share_cores(std::span<TracePrediction> predictions, std::span<const std::vector<Seconds>> pauses, int cores, double cpus) {
  std::vector<std::vector<CallerStep>> steps(predictions.size());
  Seconds alone = 0;
  for (std::size_t t = 0; t < predictions.size(); ++t) {
    for (std::size_t c = 0; c < predictions[t].calls.size(); ++c) {
      steps[t].push_back({pauses[t].at(c), predictions[t].calls[c].seconds, cores});
    }
    alone += predictions[t].seconds;
  }
  const auto durations = shared_durations(steps, cpus);
  Seconds shared = 0;
  for (std::size_t t = 0; t < predictions.size(); ++t) {
    predictions[t] = with_durations(std::move(predictions[t]), durations[t]);
    shared += predictions[t].seconds;
  }
  return alone > 0 ? shared / alone : 1;
}

std::vector<std::vector<Seconds>> shared_durations(std::span<const std::vector<CallerStep>> threads, double cpus) {
  return threads.size() < 2 || !(cpus > 0) ? work_of(threads) : ContentionSimulation(threads, cpus).run();
}

}  // namespace flopcast::prediction
