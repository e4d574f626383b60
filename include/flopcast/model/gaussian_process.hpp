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
  double nugget_decay = 0;        ///< the nugget falls by the factor exp(-nugget_decay * work)
  double session = 0;             ///< standard deviation of the part that all observations of one session share; 0: sessions don't count
  double response = 0;            ///< expected change of the function by one unit of the reference coordinate
  double response_deviation = 0;  ///< standard deviation of that change
  double aliasing = 0;            ///< standard deviation of the part that one aliased coordinate adds; 0: aliasing has no effect
  std::vector<double> lengths;    ///< length scale of every group of coordinates
  friend bool operator==(const ProcessParameters&, const ProcessParameters&) = default;
};

/// Groups of coordinates that have no length scale. At most one coordinate has each of the first three, which don't distinguish places.
constexpr int work_group = -1;       ///< logarithm of work, with which the nugget becomes smaller
constexpr int session_group = -2;    ///< moment in hours at which the session of the observation began
constexpr int reference_group = -3;  ///< state of the machine in the session: logarithm of a reference time, 0 in the state of interest
/// Degree of aliasing of one leading dimension, 0 if there is none. Any number of coordinates can have this group.
constexpr int aliasing_group = -4;

/// Returns the length scale of every coordinate, given the group of each: infinite for groups that don't distinguish places, 1 for aliasing.
std::vector<double> coordinate_lengths(const ProcessParameters& parameters, std::span<const int> groups);

/// Regression with a Gaussian process: interpolates noisy observations and provides the joint uncertainty of predictions, and so also that
/// of a weighted sum of predictions.
///
/// With a session coordinate, the function is the sum of a part that all sessions share and one part per session. The parts of sessions
/// vary more slowly over the places, and those of two sessions resemble each other the less the more time lies between them.
/// So a few observations of a new session move what older sessions know, and what the sessions differ by is part of the uncertainty.
///
/// Every coordinate of aliasing adds a part of its own where its degree isn't 0. Observations without aliasing say nothing about this part,
/// and those of one degree say less about another the further the degrees are apart.
class GaussianProcess {
 public:
  /// One point per row.
  using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Conditions a process on observations, one per row of `coordinates`, with one noise_variance each. groups[d] is the number of the
  /// length scale of coordinate d (0, 1, ...), or one of the groups above. The hyperparameters maximise the marginal likelihood
  /// times a weak log-normal prior. The deviation of sessions stays at its start if all observations are of one session, because such
  /// observations would take any smooth trend for it. So does that of aliasing if all or none of them are aliased.
  static GaussianProcess fit(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                             std::vector<int> groups, const ProcessParameters& start);
  /// Conditions a process with given hyperparameters.
  static GaussianProcess condition(const Points& coordinates, const Eigen::VectorXd& values, const Eigen::VectorXd& noise_variance,
                                   std::vector<int> groups, const ProcessParameters& parameters);

  struct Posterior {
    double mean = 0;
    double variance = 0;  ///< variance of the function with its nugget, without observation noise
  };
  [[nodiscard]] Posterior predict(const Eigen::RowVectorXd& at) const;
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
  /// How two rows of scaled coordinates are related.
  struct Relation {
    bool same_place = false;
    double smooth = 0;  ///< covariance without nuggets
  };
  GaussianProcess(std::vector<int> groups, const ProcessParameters& parameters);
  [[nodiscard]] Relation relation(const double* a, const double* b) const;
  /// Returns the correlation, summed over the coordinates of aliasing, of the parts that aliasing adds at two rows of coordinates.
  [[nodiscard]] double aliasing_correlation(const double* a, const double* b) const;
  /// Returns the covariance at two rows of scaled coordinates; nuggets are standard deviations.
  [[nodiscard]] double covariance_function(const double* a, const double* b, double nugget_of_a, double nugget_of_b) const;
  [[nodiscard]] Eigen::MatrixXd smooth_covariance_matrix(const Points& a, const Points& b) const;
  /// Returns the expected change of the function at a place (not scaled) by its reference coordinate.
  [[nodiscard]] double response_at(const double* at) const;
  static Eigen::VectorXd nuggets(const Points& points, const std::vector<int>& groups, const ProcessParameters& parameters);

  ProcessParameters parameters_;
  std::vector<int> groups_;
  Eigen::Index session_ = -1, reference_ = -1;  ///< columns of these coordinates; -1: none
  std::vector<Eigen::Index> near_, aliasing_;   ///< columns of the coordinates with a length scale, and of those of aliasing
  Points coordinates_;                          ///< scaled by the length scales
  Eigen::VectorXd nuggets_;                     ///< standard deviation of every observation
  Eigen::VectorXd weights_;                     ///< (K + noise)^-1 (values - mean)
  Eigen::MatrixXd cholesky_;                    ///< lower factor of K + noise
  Eigen::VectorXd scale_;                       ///< 1 / length scale of every coordinate; 1 for session, reference and aliasing
  double log_likelihood_ = 0;
};

}  // namespace flopcast::model
