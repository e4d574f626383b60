#include "flopcast/predict/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "flopcast/predict/blend.hpp"
#include "flopcast/predict/call_signature.hpp"
#include "flopcast/predict/predicted_interval.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::prediction {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Data of calls that are equal except for their addresses.
struct CallShape {
  Call call;  // one of the calls
  std::int64_t calls = 0;
  InlineVector<std::int64_t, max_operands> operand_bytes;
  std::array<std::size_t, cache::max_thresholds + 1> terms;  // terms per level of cache and memory; none if not yet requested
};

/// The weight of a term in one call.
struct TimeShare {
  std::size_t term = 0;
  double weight = 1;
};
using Shares = InlineVector<TimeShare, cache::max_thresholds + 1>;

/// Evaluates every distinct call once and counts its occurrences.
class PredictedTerms {
 public:
  PredictedTerms(const KernelModels& models, std::span<const CacheLevel> caches) : models_(models), caches_(caches) {}

  std::size_t shape(const Call& call) {
    const auto [id, is_new] = shape_ids_.id(signature_(call));
    if (is_new) {
      shapes_.push_back(describe(call));
    }
    ++shapes_[id].calls;
    return id;
  }

  [[nodiscard]] std::span<const std::int64_t> operand_bytes(std::size_t shape) const noexcept {
    return {shapes_[shape].operand_bytes.data(), shapes_[shape].operand_bytes.size()};
  }

  /// Returns the term of a call with all operands in `level` (caches.size() is memory).
  std::size_t in_level(std::size_t shape, const Call& call, std::size_t level) {
    std::size_t& term = shapes_[shape].terms[level];
    if (term == none) {
      const std::string cache = level == 0 ? "warm" : level == caches_.size() ? "cold" : caches_[level].name;
      term = add(call, {cache, {}});
    }
    return term;
  }

  std::size_t placed(std::size_t shape, const Call& call, const Placement& placement) {
    std::array<std::uint64_t, 1 + max_operands> words{shape};
    std::size_t size = 1;
    for (const OperandState& state : placement) {
      words[size++] = word(state);
    }
    const auto [id, is_new] = placed_ids_.id(std::span(words).first(size));
    if (is_new) {
      Placement rounded = placement;
      for (OperandState& state : rounded) {
        state.distance_bytes = rounded_distance(state.distance_bytes);
      }
      placed_terms_.push_back(add(call, {"placed", rounded}));
    }
    return placed_terms_[id];
  }

  void count(const Shares& shares) {
    for (const TimeShare& share : shares) {
      terms_[share.term].weight += share.weight;
    }
  }

  [[nodiscard]] const std::vector<Term>& terms() const noexcept { return terms_; }
  [[nodiscard]] const std::vector<CallShape>& shapes() const noexcept { return shapes_; }

 private:
  static CallShape describe(const Call& call) {
    CallShape shape;
    shape.call = call;
    for (const Operand& operand : operands(call)) {
      shape.operand_bytes.push_back(operand.bytes());
    }
    shape.terms.fill(none);
    return shape;
  }

  std::size_t add(const Call& call, Condition condition) {
    const Estimate estimate = models_.evaluate(call, condition);
    terms_.push_back({call, std::move(condition), 0, estimate});
    return terms_.size() - 1;
  }

  const KernelModels& models_;
  std::span<const CacheLevel> caches_;
  CallSignature signature_;
  IdTable shape_ids_, placed_ids_;
  std::vector<CallShape> shapes_;
  std::vector<Term> terms_;
  std::vector<std::size_t> placed_terms_;
};

/// Returns the terms of call `i` and their weights.
Shares shares_of_call(std::size_t i, const Call& call, const cache::CacheState& state, std::span<const CacheLevel> caches,
                      const PredictOptions& options, std::int64_t capacity_bytes, PredictedTerms& terms) {
  const std::size_t shape = terms.shape(call);
  switch (options.method) {
    case Method::warm: return {{terms.in_level(shape, call, 0), 1}};
    case Method::cold: return {{terms.in_level(shape, call, caches.size()), 1}};
    case Method::placed: return {{terms.placed(shape, call, state.placements[i]), 1}};
    case Method::paper: {
      const double association = cache_association(state.placements[i], terms.operand_bytes(shape), capacity_bytes);
      return {{terms.in_level(shape, call, 0), (1 + association) / 2}, {terms.in_level(shape, call, caches.size()), (1 - association) / 2}};
    }
    case Method::levels: {
      Shares shares;
      for (const auto& [level, share] : level_shares(state.bytes_by_level[i], caches)) {
        shares.push_back({terms.in_level(shape, call, level), share});
      }
      return shares;
    }
  }
  throw internal_error("prediction method {} is not handled", static_cast<int>(options.method));
}

CallPrediction prediction_of_call(const Shares& shares, const std::vector<Term>& terms) {
  CallPrediction call;
  double variance = 0;
  for (const auto& [term, weight] : shares) {
    const Estimate& estimate = terms[term].estimate;
    const Seconds seconds = weight * estimate.seconds;
    call.seconds += seconds;
    variance += seconds * estimate.relative_error * seconds * estimate.relative_error;
    call.extrapolated = call.extrapolated || (estimate.extrapolated && weight > 0);
  }
  call.relative_error = call.seconds > 0 ? std::sqrt(variance) / call.seconds : 0;
  return call;
}

/// Returns the standard deviation of the sum of terms, from the models themselves or else by the rule in KernelModels::deviation.
Seconds deviation(std::span<const Term> terms, const KernelModels& models) {
  if (const std::optional<Seconds> joint = models.deviation(terms)) {
    return *joint;
  }
  std::map<ModelKey, Seconds> by_model;
  for (const Term& term : terms) {
    by_model[model_key(term.call, term.condition.cache, "")] += term.seconds() * term.estimate.relative_error;
  }
  double variance = 0;
  for (const auto& [key, seconds] : by_model) {
    variance += seconds * seconds;
  }
  return std::sqrt(variance);
}

std::vector<KernelPrediction> kernels(const PredictedTerms& terms, const KernelModels& models, Method method) {
  struct KernelTerms {
    KernelPrediction prediction;
    std::vector<Term> terms;
  };
  std::map<ModelKey, KernelTerms> by_key;
  const auto kernel = [&](const Call& call) -> KernelTerms& { return by_key[model_key(call, std::string(to_string(method)), "")]; };
  for (const CallShape& shape : terms.shapes()) {
    KernelPrediction& prediction = kernel(shape.call).prediction;
    prediction.calls += shape.calls;
    prediction.flops += static_cast<double>(shape.calls) * flops(shape.call);
  }
  for (const Term& term : terms.terms()) {
    KernelTerms& of_term = kernel(term.call);
    of_term.prediction.seconds += term.seconds();
    of_term.prediction.extrapolated += term.estimate.extrapolated ? term.seconds() : 0;
    of_term.terms.push_back(term);
  }
  std::vector<KernelPrediction> all;
  for (auto& [key, of_key] : by_key) {
    of_key.prediction.key = key;
    of_key.prediction.deviation = deviation(of_key.terms, models);
    all.push_back(std::move(of_key.prediction));
  }
  std::stable_sort(all.begin(), all.end(), [](const KernelPrediction& a, const KernelPrediction& b) { return a.seconds > b.seconds; });
  return all;
}

void check(const Trace& trace, const cache::CacheState& state, std::span<const CacheLevel> caches, const PredictOptions& options) {
  if (options.method == Method::warm || options.method == Method::cold) {
    return;
  }
  if (state.placements.size() != trace.calls.size() || state.bytes_by_level.size() != trace.calls.size()) {
    throw bad_input("the cache state has {} calls, but the trace has {}; the state of the same trace is needed", state.placements.size(),
                    trace.calls.size());
  }
  if (options.method == Method::paper && caches.empty() && options.capacity_bytes <= 0) {
    throw bad_input("the paper's blend needs the capacity of a cache, but no cache was measured");
  }
}

}  // namespace

TracePrediction predict(const Trace& trace, const cache::CacheState& state, std::span<const CacheLevel> caches, const KernelModels& models,
                        const PredictOptions& options) {
  check(trace, state, caches, options);
  const std::int64_t capacity = options.capacity_bytes > 0 || caches.empty() ? options.capacity_bytes : caches.back().capacity_bytes;
  PredictedTerms terms(models, caches);
  TracePrediction prediction;
  prediction.calls.reserve(options.per_call ? trace.calls.size() : 0);
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    const Shares shares = shares_of_call(i, trace.calls[i], state, caches, options, capacity, terms);
    terms.count(shares);
    if (options.per_call) {
      prediction.calls.push_back(prediction_of_call(shares, terms.terms()));
    }
  }
  prediction.kernels = kernels(terms, models, options.method);
  for (const KernelPrediction& kernel : prediction.kernels) {
    prediction.seconds += kernel.seconds;
    prediction.flops += kernel.flops;
    prediction.extrapolated += kernel.extrapolated;
  }
  prediction.deviation = deviation(terms.terms(), models);
  prediction.interval =
      predicted_interval(prediction.seconds, {prediction.deviation, models.run_deviation(), options.method_error}, options.confidence);
  return prediction;
}

}  // namespace flopcast::prediction
