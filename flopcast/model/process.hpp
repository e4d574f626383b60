#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

namespace flopcast::model {

/// Hyperparameters of a Gaussian process with constant mean and a Matern-5/2 covariance (Rasmussen and Williams 2006, section 4.2).
struct ProcessParameters {
  double mean = 0;
  double amplitude = 0.3;             ///< standard deviation of the function around its mean
  double nugget = 0.005;              ///< standard deviation of what no smooth function explains, added to every observation's noise
  std::vector<double> lengths;        ///< length scale of every group of coordinates
  friend bool operator==(const ProcessParameters&, const ProcessParameters&) = default;
};

/// Regression with a Gaussian process: interpolates noisy observations and knows how far each prediction can be trusted, jointly, so that the
/// uncertainty of a weighted sum of predictions can be given too.
class Process {
 public:
  /// One row of `coordinates` per observation; groups[d] says which length scale coordinate d uses (0, 1, ...); noise_variance per observation.
  /// The hyperparameters maximise the marginal likelihood times a weak log-normal prior.
  static Process fit(const Eigen::MatrixXd& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                     std::vector<int> groups, const ProcessParameters& start);
  /// The same with the hyperparameters given.
  static Process condition(const Eigen::MatrixXd& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                           std::vector<int> groups, const ProcessParameters& parameters);

  struct Prediction {
    double mean = 0;
    double variance = 0;  ///< of the function, without observation noise; with the nugget
  };
  [[nodiscard]] Prediction predict(const Eigen::RowVectorXd& at) const;
  /// Mean only: what a fast path needs.
  [[nodiscard]] double mean(const double* at) const;

  /// A weighted sum of the function at several points, prepared for covariances.
  struct WeightedSum {
    Eigen::MatrixXd points;     ///< one row per point
    Eigen::VectorXd weights;
    Eigen::VectorXd whitened;   ///< L^-1 K(data, points) weights
  };
  [[nodiscard]] WeightedSum weighted_sum(Eigen::MatrixXd points, Eigen::VectorXd weights) const;
  /// Posterior covariance of two weighted sums.
  [[nodiscard]] double covariance(const WeightedSum& a, const WeightedSum& b) const;

  [[nodiscard]] const ProcessParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] Eigen::Index observations() const noexcept { return coordinates_.rows(); }
  /// log p(values | coordinates, parameters).
  [[nodiscard]] double log_likelihood() const noexcept { return log_likelihood_; }

 private:
  [[nodiscard]] double covariance_function(const double* a, const double* b) const;

  ProcessParameters parameters_;
  std::vector<int> groups_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> coordinates_;  ///< scaled by the length scales
  Eigen::VectorXd weights_;   ///< (K + noise)^-1 (values - mean)
  Eigen::MatrixXd cholesky_;  ///< lower factor of K + noise
  Eigen::VectorXd scale_;     ///< 1 / length scale of every coordinate
  double log_likelihood_ = 0;
};

void to_json(nlohmann::json& json, const ProcessParameters& parameters);
void from_json(const nlohmann::json& json, ProcessParameters& parameters);

}  // namespace flopcast::model
