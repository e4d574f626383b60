#include "flopcast/model/gaussian_process.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

/// Returns the Matern-5/2 correlation at scaled distance r.
double matern(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  return (1 + r + r * r / 3) * std::exp(-r);
}

/// Returns the log density, up to a constant, of a log-normal prior. The prior keeps hyperparameters on which the data carry no information
/// near their start.
double log_prior(const ProcessParameters& at, const ProcessParameters& start) {
  static constexpr double log_spread = 1.0;
  const auto penalty = [](double value, double centre) {
    const double z = std::log(value / centre) / log_spread;
    return -z * z / 2;
  };
  double sum = penalty(at.amplitude, start.amplitude) + penalty(at.nugget, start.nugget);
  for (std::size_t g = 0; g < at.lengths.size(); ++g) {
    sum += penalty(at.lengths[g], start.lengths[g]);
  }
  if (start.nugget_decay > 0) {
    sum += penalty(at.nugget_decay, start.nugget_decay);
  }
  if (start.session > 0) {
    sum += penalty(at.session, start.session);
  }
  if (start.aliasing > 0) {
    sum += penalty(at.aliasing, start.aliasing);
  }
  return sum;
}

/// Returns the parameters that a fit varies.
std::vector<double*> varied(ProcessParameters& parameters, bool has_sessions, bool is_aliased) {
  std::vector<double*> all{&parameters.amplitude, &parameters.nugget};
  for (double& length : parameters.lengths) {
    all.push_back(&length);
  }
  if (parameters.nugget_decay > 0) {
    all.push_back(&parameters.nugget_decay);
  }
  if (has_sessions && parameters.session > 0) {
    all.push_back(&parameters.session);
  }
  if (is_aliased && parameters.aliasing > 0) {
    all.push_back(&parameters.aliasing);
  }
  return all;
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<int> groups, const ProcessParameters& parameters)
    : parameters_(parameters), groups_(std::move(groups)), scale_(static_cast<Eigen::Index>(groups_.size())) {
  const std::vector<double> lengths = coordinate_lengths(parameters, groups_);
  for (std::size_t d = 0; d < groups_.size(); ++d) {
    const auto column = static_cast<Eigen::Index>(d);
    if (groups_[d] == session_group) {
      session_ = column;
    } else if (groups_[d] == reference_group) {
      reference_ = column;
    } else if (groups_[d] == aliasing_group) {
      aliasing_.push_back(column);
    } else if (groups_[d] >= 0) {
      near_.push_back(column);
    }
    scale_[column] = groups_[d] == session_group || groups_[d] == reference_group ? 1 : 1 / lengths[d];
  }
}

double GaussianProcess::aliasing_correlation(const double* a, const double* b) const {
  static constexpr double degrees = 2;  // the correlation falls by e over so many degrees
  double sum = 0;
  for (const Eigen::Index d : aliasing_) {
    if (a[d] > 0 && b[d] > 0) {
      sum += a[d] == b[d] ? 1 : std::exp(-std::fabs(a[d] - b[d]) / degrees);
    }
  }
  return sum;
}

GaussianProcess::Relation GaussianProcess::relation(const double* a, const double* b) const {
  static constexpr double same_place = 1e-12;
  static constexpr double session_stretch = 3;  // a session's part varies over so many times the length scales
  static constexpr double kinship = 0.99;       // correlation of the parts of two sessions that follow each other
  static constexpr double session_hours = 6;    // the correlation falls by e in this time
  double squared = 0;
  for (const Eigen::Index d : near_) {
    const double difference = a[d] - b[d];
    squared += difference * difference;
  }
  const double likeness = matern(squared);
  double smooth = parameters_.amplitude * parameters_.amplitude * likeness;
  double of_state = 0;
  if (session_ >= 0 && parameters_.session > 0) {
    const double hours = std::fabs(a[session_] - b[session_]);
    of_state += parameters_.session * parameters_.session * (hours == 0 ? 1 : kinship * std::exp(-hours / session_hours));
  }
  if (reference_ >= 0) {
    of_state += parameters_.response_deviation * parameters_.response_deviation * a[reference_] * b[reference_];
  }
  if (of_state != 0) {
    smooth += of_state * matern(squared / (session_stretch * session_stretch));
  }
  bool is_same = squared < same_place;
  if (!aliasing_.empty()) {
    smooth += parameters_.aliasing * parameters_.aliasing * aliasing_correlation(a, b) * likeness;
    is_same = is_same && std::all_of(aliasing_.begin(), aliasing_.end(), [&](Eigen::Index d) { return a[d] == b[d]; });
  }
  return {is_same, smooth};
}

double GaussianProcess::covariance_function(const double* a, const double* b, double nugget_of_a, double nugget_of_b) const {
  const Relation related = relation(a, b);
  return related.smooth + (related.same_place ? nugget_of_a * nugget_of_b : 0);
}

double GaussianProcess::response_at(const double* at) const { return reference_ >= 0 ? parameters_.response * at[reference_] : 0; }

double GaussianProcess::nugget(const double* at, const std::vector<int>& groups, const ProcessParameters& parameters) {
  const auto work = std::find(groups.begin(), groups.end(), work_group);
  return work == groups.end() ? parameters.nugget : parameters.nugget * std::exp(-parameters.nugget_decay * at[work - groups.begin()]);
}

Eigen::VectorXd GaussianProcess::nuggets(const Points& points, const std::vector<int>& groups, const ProcessParameters& parameters) {
  Eigen::VectorXd nuggets(points.rows());
  for (Eigen::Index p = 0; p < points.rows(); ++p) {
    nuggets[p] = nugget(points.row(p).data(), groups, parameters);
  }
  return nuggets;
}

Eigen::MatrixXd GaussianProcess::smooth_covariance_matrix(const Points& a, const Points& b) const {
  Eigen::MatrixXd covariance(a.rows(), b.rows());
  for (Eigen::Index j = 0; j < b.rows(); ++j) {
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      covariance(i, j) = relation(a.row(i).data(), b.row(j).data()).smooth;
    }
  }
  return covariance;
}

std::vector<double> coordinate_lengths(const ProcessParameters& parameters, std::span<const int> groups) {
  std::vector<double> lengths;
  for (const int group : groups) {
    lengths.push_back(group == aliasing_group ? 1
                      : group < 0             ? std::numeric_limits<double>::infinity()
                                              : parameters.lengths[static_cast<std::size_t>(group)]);
  }
  return lengths;
}

GaussianProcess GaussianProcess::condition(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                                           std::vector<int> groups, const ProcessParameters& parameters) {
  if (coordinates.rows() == 0 || coordinates.rows() != values.size() || coordinates.cols() != static_cast<Eigen::Index>(groups.size())) {
    throw internal_error("Gaussian process: {} observations with {} values, {} coordinates in {} groups", coordinates.rows(), values.size(),
                         coordinates.cols(), groups.size());
  }
  GaussianProcess process(std::move(groups), parameters);
  process.coordinates_ = coordinates * process.scale_.asDiagonal();
  process.nuggets_ = nuggets(coordinates, process.groups_, parameters);
  const Eigen::Index n = coordinates.rows();
  Eigen::MatrixXd covariance(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) {
      covariance(i, j) = process.covariance_function(process.coordinates_.row(i).data(), process.coordinates_.row(j).data(),
                                                     process.nuggets_[i], process.nuggets_[j]);
    }
    covariance(i, i) += noise_variance[i];
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance.selfadjointView<Eigen::Lower>());
  process.cholesky_ = factor.matrixL();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  // The constant mean by generalised least squares, drawn towards parameters.mean if few observations determine it.
  static constexpr double mean_precision = 1.0;
  const Eigen::VectorXd solved = factor.solve(ones);
  Eigen::VectorXd residual = values;
  for (Eigen::Index i = 0; i < n; ++i) {
    residual[i] -= process.response_at(coordinates.row(i).data());
  }
  process.parameters_.mean = (solved.dot(residual) + mean_precision * parameters.mean) / (solved.sum() + mean_precision);
  residual -= process.parameters_.mean * ones;
  process.weights_ = factor.solve(residual);
  process.log_likelihood_ = -0.5 * residual.dot(process.weights_) - process.cholesky_.diagonal().array().log().sum();
  if (!std::isfinite(process.log_likelihood_)) {
    process.log_likelihood_ = -std::numeric_limits<double>::infinity();
  }
  return process;
}

GaussianProcess GaussianProcess::fit(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                                     std::vector<int> groups, const ProcessParameters& start) {
  ProcessParameters best = start;
  const auto score = [&](const ProcessParameters& parameters) {
    return condition(coordinates, values, noise_variance, groups, parameters).log_likelihood() + log_prior(parameters, start);
  };
  double best_score = score(best);
  bool is_aliased = false, has_sessions = false;
  for (std::size_t d = 0; d < groups.size(); ++d) {
    const auto column = coordinates.col(static_cast<Eigen::Index>(d)).array();
    is_aliased = is_aliased || (groups[d] == aliasing_group && (column > 0).any() && (column <= 0).any());
    has_sessions = has_sessions || (groups[d] == session_group && (column != column[0]).any());
  }
  // Pattern search over the logarithms: there are few parameters, the objective is smooth, and no derivatives need maintenance.
  const std::size_t count = varied(best, has_sessions, is_aliased).size();
  for (const double factor : {2.0, std::sqrt(2.0)}) {
    for (int sweep = 0; sweep < 6; ++sweep) {
      bool moved = false;
      for (std::size_t i = 0; i < count; ++i) {
        for (const double step : {factor, 1 / factor}) {
          ProcessParameters candidate = best;
          *varied(candidate, has_sessions, is_aliased)[i] *= step;
          const double candidate_score = score(candidate);
          if (candidate_score > best_score) {
            best = candidate;
            best_score = candidate_score;
            moved = true;
            break;
          }
        }
      }
      if (!moved) {
        break;
      }
    }
  }
  return condition(coordinates, values, noise_variance, std::move(groups), best);
}

GaussianProcess::Posterior GaussianProcess::predict(const Eigen::RowVectorXd& at) const {
  const Eigen::RowVectorXd scaled = at * scale_.asDiagonal();
  const double own = nugget(at.data(), groups_, parameters_);
  Eigen::VectorXd cross(coordinates_.rows());
  for (Eigen::Index i = 0; i < cross.size(); ++i) {
    cross[i] = covariance_function(coordinates_.row(i).data(), scaled.data(), nuggets_[i], own);
  }
  const Eigen::VectorXd whitened = cholesky_.triangularView<Eigen::Lower>().solve(cross);
  const double variance = covariance_function(scaled.data(), scaled.data(), own, own) - whitened.squaredNorm();
  return {parameters_.mean + response_at(at.data()) + cross.dot(weights_), std::max(0.0, variance)};
}

double GaussianProcess::mean(const double* at) const {
  static constexpr std::size_t max_coordinates = 48;
  double scaled[max_coordinates];
  const Eigen::Index dimensions = coordinates_.cols();
  for (Eigen::Index d = 0; d < dimensions; ++d) {
    scaled[d] = at[d] * scale_[d];
  }
  const double own = nugget(at, groups_, parameters_);
  double sum = parameters_.mean + response_at(at);
  for (Eigen::Index i = 0; i < coordinates_.rows(); ++i) {
    sum += weights_[i] * covariance_function(coordinates_.row(i).data(), scaled, nuggets_[i], own);
  }
  return sum;
}

GaussianProcess::WeightedSum GaussianProcess::weighted_sum(const Points& points, Eigen::VectorXd weights) const {
  WeightedSum sum;
  sum.points = points * scale_.asDiagonal();
  sum.nuggets = nuggets(points, groups_, parameters_);
  Eigen::VectorXd cross = Eigen::VectorXd::Zero(coordinates_.rows());
  for (Eigen::Index p = 0; p < sum.points.rows(); ++p) {
    for (Eigen::Index i = 0; i < cross.size(); ++i) {
      cross[i] += weights[p] * covariance_function(coordinates_.row(i).data(), sum.points.row(p).data(), nuggets_[i], sum.nuggets[p]);
    }
  }
  sum.whitened = cholesky_.triangularView<Eigen::Lower>().solve(cross);
  sum.weights = std::move(weights);
  return sum;
}

double GaussianProcess::covariance(const WeightedSum& a, const WeightedSum& b) const {
  double prior = 0;
  for (Eigen::Index i = 0; i < a.points.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.points.rows(); ++j) {
      prior +=
          a.weights[i] * b.weights[j] * covariance_function(a.points.row(i).data(), b.points.row(j).data(), a.nuggets[i], b.nuggets[j]);
    }
  }
  return prior - a.whitened.dot(b.whitened);
}

Eigen::MatrixXd GaussianProcess::smooth_covariance(const Points& points) const {
  const Points scaled = points * scale_.asDiagonal();
  const Eigen::MatrixXd whitened = cholesky_.triangularView<Eigen::Lower>().solve(smooth_covariance_matrix(coordinates_, scaled));
  return smooth_covariance_matrix(scaled, scaled) - whitened.transpose() * whitened;
}

Eigen::MatrixXd GaussianProcess::prior_smooth_covariance(const Points& points, const std::vector<int>& groups,
                                                         const ProcessParameters& parameters) {
  const GaussianProcess process(groups, parameters);
  const Points scaled = points * process.scale_.asDiagonal();
  return process.smooth_covariance_matrix(scaled, scaled);
}

}  // namespace flopcast::model
