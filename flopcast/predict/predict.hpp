#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/cache/placement.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/core/statistics.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/predict/kernel_models.hpp"
#include "flopcast/predict/method.hpp"

namespace flopcast::predict {

struct PredictOptions {
  Method method = Method::placed;
  std::int64_t capacity_bytes = 0;  ///< paper: the cache that counts; 0 is the largest measured one, as in the paper
  double confidence = 0.95;         ///< of the interval
  /// Relative standard deviation of a total beyond that of its models: what kernels timed apart can't tell (docs/accuracy.md).
  double method_error = 0.03;
  bool per_call = false;  ///< fill in Prediction::calls
};

/// One call's share of a prediction.
struct CallPrediction {
  Seconds seconds = 0;
  double relative_error = 0;  ///< one standard deviation
  bool extrapolated = false;
};

/// All calls that share a model.
struct KernelPrediction {
  ModelKey key;  ///< its `cache` is the method
  std::int64_t calls = 0;
  double flops = 0;
  Seconds seconds = 0;
  Seconds deviation = 0;     ///< standard deviation of seconds
  Seconds extrapolated = 0;  ///< the part outside of what was sampled
};

/// The time of a trace.
struct Prediction {
  Seconds seconds = 0;
  Interval interval;
  double flops = 0;
  Seconds extrapolated = 0;               ///< the part outside of what was sampled
  std::vector<KernelPrediction> kernels;  ///< by falling time
  std::vector<CallPrediction> calls;      ///< on request

  [[nodiscard]] double extrapolated_share() const noexcept { return seconds > 0 ? extrapolated / seconds : 0; }
};

/// Adds up the times of a trace's calls. `state` (cache_state of the same trace and caches) is not needed for warm and cold. Calls that are
/// equal but for their addresses and lie equally are evaluated once. Throws bad_input if `state` belongs to another trace, or for what
/// `models` does.
Prediction predict(const Trace& trace, const cache::CacheState& state, std::span<const CacheLevel> caches, const KernelModels& models,
                   const PredictOptions& options = {});

}  // namespace flopcast::predict
