#include "flopcast/predict/placed_models.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <Eigen/Core>

#include "flopcast/support/error.hpp"

namespace flopcast::prediction {
namespace {

using model::GaussianProcess;

/// A call in a sum, and the cache levels of its operands.
struct Summand {
  const Term* term = nullptr;
  Placement placement;
};

/// Returns the posterior variance of a sum of calls of one kernel, in seconds squared. The process describes the logarithm of time, so that
/// each call is weighted by its seconds. The nugget is one common error for equal calls, and independent otherwise.
double variance(const std::vector<Summand>& summands, const model::KernelProcess& kernel, const model::Baseline& baseline) {
  std::vector<double> coordinates;
  std::vector<double> weights;
  for (const auto& [term, placement] : summands) {
    const std::vector<double> at = kernel.place(term->call, placement, baseline);
    coordinates.insert(coordinates.end(), at.begin(), at.end());
    weights.push_back(term->seconds());
  }
  const auto rows = static_cast<Eigen::Index>(summands.size());
  const Eigen::Map<const GaussianProcess::Points> points(coordinates.data(), rows, static_cast<Eigen::Index>(coordinates.size()) / rows);
  const GaussianProcess& process = kernel.process();
  const GaussianProcess::WeightedSum sum = process.weighted_sum(points, Eigen::Map<const Eigen::VectorXd>(weights.data(), rows));
  return process.covariance(sum, sum);
}

/// Returns the level of an access distance, counted from 0; capacities.size() is memory.
std::size_t level_of(std::int64_t distance_bytes, const std::vector<std::int64_t>& capacities) {
  return static_cast<std::size_t>(std::lower_bound(capacities.begin(), capacities.end(), distance_bytes) - capacities.begin());
}

}  // namespace

Estimate PlacedModels::evaluate(const Call& call, const Condition& condition) const {
  return models_.estimate(call, placement(call, condition));
}

/// Returns the placement for a condition. "warm": every operand as far away as a repeated call finds it; "L2", ...: as far away as the
/// level reaches; "cold": never accessed.
Placement PlacedModels::placement(const Call& call, const Condition& condition) const {
  if (condition.cache == "placed") {
    return condition.placement;
  }
  const std::vector<std::int64_t>& capacities = models_.baseline().capacities;
  std::int64_t distance = -1;
  std::size_t level = capacities.size();
  if (condition.cache == "warm") {
    distance = footprint_bytes(call);
    level = level_of(distance, capacities);
  } else if (condition.cache != "cold") {
    level = 0;
    while (level < capacities.size() && condition.cache != fmt::format("L{}", level + 1)) {
      ++level;
    }
    if (level == capacities.size()) {
      throw bad_input("'{}' is no level of this environment's {} caches", condition.cache, capacities.size());
    }
    distance = capacities[level];
  }
  Placement all;
  for (std::size_t i = 0; i < operands(call).size(); ++i) {
    all.push_back({distance, static_cast<std::int8_t>(level), false});
  }
  return all;
}

std::optional<Seconds> PlacedModels::deviation(std::span<const Term> terms) const {
  std::map<ModelKey, std::vector<Summand>> by_kernel;
  for (const Term& term : terms) {
    if (term.estimate.relative_error > 0) {
      by_kernel[models_.key(term.call)].push_back({&term, placement(term.call, term.condition)});
    }
  }
  double sum = 0;
  for (const auto& [key, of_kernel] : by_kernel) {
    const auto kernel = models_.kernels().find(key);
    if (kernel != models_.kernels().end() && kernel->second.fitted()) {
      sum += variance(of_kernel, kernel->second, models_.baseline());
      continue;
    }
    Seconds unmodelled = 0;  // known to within a factor only, with one common error
    for (const Summand& summand : of_kernel) {
      unmodelled += summand.term->seconds() * summand.term->estimate.relative_error;
    }
    sum += unmodelled * unmodelled;
  }
  return std::sqrt(std::max(0.0, sum));
}

}  // namespace flopcast::prediction
