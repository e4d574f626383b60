#include "flopcast/predict/placed_models.hpp"

#include <cmath>
#include <map>
#include <vector>

#include <Eigen/Core>

#include "flopcast/core/error.hpp"

namespace flopcast::predict {
namespace {

using model::Process;

/// Posterior variance of a sum of calls of one kernel, in seconds squared. The process is of the logarithm of time, so that each call weighs its
/// seconds; the nugget is one error for equal calls and independent otherwise.
double variance(const std::vector<const Term*>& terms, const Process& process, const model::Baseline& baseline) {
  std::vector<double> coordinates;
  Eigen::VectorXd weights(static_cast<Eigen::Index>(terms.size()));
  double nugget_variance = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::vector<double> at = model::KernelProcess::coordinates(terms[i]->call, terms[i]->condition.placement, baseline);
    coordinates.insert(coordinates.end(), at.begin(), at.end());
    weights[static_cast<Eigen::Index>(i)] = terms[i]->seconds();
    const double nugget = process.parameters().nugget * terms[i]->seconds();
    nugget_variance += nugget * nugget;
  }
  const auto rows = static_cast<Eigen::Index>(terms.size());
  const Eigen::Map<const Process::Points> points(coordinates.data(), rows, static_cast<Eigen::Index>(coordinates.size()) / rows);
  const Process::WeightedSum sum = process.weighted_sum(points, weights);
  return process.covariance(sum, sum) + nugget_variance;
}

}  // namespace

Estimate PlacedModels::evaluate(const Call& call, const Condition& condition) const {
  if (condition.cache != "placed") {
    throw internal_error("models on demand know operands in their places only, not {}", condition.cache);
  }
  return models_.estimate(call, condition.placement);
}

std::optional<Seconds> PlacedModels::deviation(std::span<const Term> terms) const {
  std::map<ModelKey, std::vector<const Term*>> by_kernel;
  for (const Term& term : terms) {
    if (term.estimate.relative_error > 0) {
      by_kernel[models_.key(term.call)].push_back(&term);
    }
  }
  double sum = 0;
  for (const auto& [key, of_kernel] : by_kernel) {
    const auto kernel = models_.kernels().find(key);
    if (kernel != models_.kernels().end() && kernel->second.fitted()) {
      sum += variance(of_kernel, kernel->second.process(), models_.baseline());
      continue;
    }
    Seconds unmodelled = 0;  // known to within a factor only, and all of it wrong in the same way
    for (const Term* term : of_kernel) {
      unmodelled += term->seconds() * term->estimate.relative_error;
    }
    sum += unmodelled * unmodelled;
  }
  return std::sqrt(std::max(0.0, sum));
}

}  // namespace flopcast::predict
