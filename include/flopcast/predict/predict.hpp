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
#include "flopcast/predict/predicted_interval.hpp"

namespace flopcast::prediction {

struct PredictOptions {
  Method method = Method::placed;
  std::int64_t capacity_bytes = 0;         ///< method paper: capacity of the decisive cache; 0 is the largest measured one, as in the paper
  double confidence = default_confidence;  ///< confidence of the interval, 0 to 1
  double method_error = default_method_error;  ///< relative standard deviation of a total beyond that of its models
  bool per_call = false;                       ///< fill in TracePrediction::calls
};

/// One call's share of a prediction.
struct CallPrediction {
  Seconds seconds = 0;
  double relative_error = 0;  ///< one standard deviation
  bool extrapolated = false;
};

/// The total of all calls that share a model.
struct KernelPrediction {
  ModelKey key;  ///< the key of the model; its `cache` is the method
  std::int64_t calls = 0;
  double flops = 0;
  Seconds seconds = 0;
  Seconds deviation = 0;     ///< standard deviation of seconds
  Seconds extrapolated = 0;  ///< the part outside of the sampled domain
};

/// The predicted time of a trace: the wall time that an unmodified program would measure on this machine in its usual state
/// (docs/explanation/prediction.md).
struct TracePrediction {
  Seconds seconds = 0;
  Interval interval;
  Seconds deviation = 0;  ///< standard deviation of seconds that the models state
  double flops = 0;
  Seconds extrapolated = 0;               ///< the part outside of the sampled domain
  std::vector<KernelPrediction> kernels;  ///< kernels by falling time
  std::vector<CallPrediction> calls;      ///< one per call, if PredictOptions::per_call is set

  [[nodiscard]] double extrapolated_share() const noexcept { return seconds > 0 ? extrapolated / seconds : 0; }
};

/// Predicts the time of a trace as the sum over its calls. `state` is the cache_state of the same trace and caches; warm and cold don't
/// need it. Equal calls in equal placements, whatever their addresses, are evaluated once. Throws bad_input if `state` belongs to another
/// trace or method paper lacks a capacity, and what `models` throws.
TracePrediction predict(const Trace& trace, const cache::CacheState& state, std::span<const CacheLevel> caches, const KernelModels& models,
                        const PredictOptions& options = {});

}  // namespace flopcast::prediction
