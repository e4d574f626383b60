#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace flopcast::model {

/// Hyperparameters of a Gaussian process with constant mean and a Matern-5/2 covariance (Rasmussen and Williams 2006, section 4.2).
struct ProcessParameters {
  double mean = 0;
  double amplitude = 0.3;  ///< standard deviation of the function around its mean
  /// Standard deviation of the part that no smooth function explains: an offset of every place, which is the same in all observations of
  /// the place. If a coordinate has group `work_group`, this is the value where that coordinate is 0.
  double nugget = 0.005;
  double calming = 0;           ///< the nugget falls by the factor exp(-calming * work)
  std::vector<double> lengths;  ///< length scale of every group of coordinates
  friend bool operator==(const ProcessParameters&, const ProcessParameters&) = default;
};

/// The group of a coordinate that doesn't distinguish places: the logarithm of work, with which the nugget becomes smaller.
constexpr int work_group = -1;

/// Returns the length scale of every coordinate, given the group of each; infinite for work.
std::vector<double> coordinate_lengths(const ProcessParameters& parameters, std::span<const int> groups);

/// Regression with a Gaussian process: interpolates noisy observations and provides the joint uncertainty of predictions, and so also that
/// of a weighted sum of predictions.
class GaussianProcess {
 public:
  /// One point per row.
  using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Conditions a process on observations, one per row of `coordinates`, with one noise_variance each. groups[d] is the number of the
  /// length scale of coordinate d (0, 1, ...), or work_group for at most one of them. The hyperparameters maximise the marginal likelihood
  /// times a weak log-normal prior.
  static GaussianProcess fit(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                             std::vector<int> groups, const ProcessParameters& start);
  /// Conditions a process with given hyperparameters.
  static GaussianProcess condition(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                                   std::vector<int> groups, const ProcessParameters& parameters);

  struct Prediction {
    double mean = 0;
    double variance = 0;  ///< variance of the function with its nugget, without observation noise
  };
  [[nodiscard]] Prediction predict(const Eigen::RowVectorXd& at) const;
  /// Returns the mean only, which is fast.
  [[nodiscard]] double mean(const double* at) const;

  /// A weighted sum of the function at several points, prepared for covariances.
  struct WeightedSum {
    Points points;            ///< scaled by the length scales
    Eigen::VectorXd nuggets;  ///< standard deviation of every point
    Eigen::VectorXd weights;
    Eigen::VectorXd whitened;  ///< L^-1 K(data, points) weights
  };
  [[nodiscard]] WeightedSum weighted_sum(const Points& points, Eigen::VectorXd weights) const;
  /// Returns the posterior covariance of two weighted sums.
  [[nodiscard]] double covariance(const WeightedSum& a, const WeightedSum& b) const;

  /// Returns the posterior covariance of the function's smooth part, without its nugget, at `points`.
  [[nodiscard]] Eigen::MatrixXd smooth_covariance(const Points& points) const;
  /// Returns the covariance of the smooth part before anything was observed.
  static Eigen::MatrixXd prior_smooth_covariance(const Points& points, const std::vector<int>& groups, const ProcessParameters& parameters);

  [[nodiscard]] const ProcessParameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] const std::vector<int>& groups() const noexcept { return groups_; }
  /// Returns the standard deviation of a place's own offset.
  static double nugget(const double* at, const std::vector<int>& groups, const ProcessParameters& parameters);
  [[nodiscard]] Eigen::Index observations() const noexcept { return coordinates_.rows(); }
  /// Returns log p(values | coordinates, parameters), up to a constant.
  [[nodiscard]] double log_likelihood() const noexcept { return log_likelihood_; }

 private:
  /// Returns the covariance at two rows of scaled coordinates; nuggets are standard deviations.
  [[nodiscard]] double covariance_function(const double* a, const double* b, double nugget_of_a, double nugget_of_b) const;
  [[nodiscard]] double smooth_covariance_function(double squared_distance) const;
  [[nodiscard]] Eigen::MatrixXd smooth_covariance_matrix(const Points& a, const Points& b) const;
  static Eigen::VectorXd nuggets(const Points& points, const std::vector<int>& groups, const ProcessParameters& parameters);
  static Eigen::VectorXd scales(const std::vector<int>& groups, const ProcessParameters& parameters);

  ProcessParameters parameters_;
  std::vector<int> groups_;
  Points coordinates_;        ///< scaled by the length scales
  Eigen::VectorXd nuggets_;   ///< standard deviation of every observation
  Eigen::VectorXd weights_;   ///< (K + noise)^-1 (values - mean)
  Eigen::MatrixXd cholesky_;  ///< lower factor of K + noise
  Eigen::VectorXd scale_;     ///< 1 / length scale of every coordinate
  double log_likelihood_ = 0;
};

}  // namespace flopcast::model
