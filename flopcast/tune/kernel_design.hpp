#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "flopcast/model/gaussian_process.hpp"

namespace flopcast::tuning {

/// One kernel in a sampling design: the coordinates of its calls, the knowledge there, and the dependence of the totals of several subjects
/// (traces) on it.
///
/// All calls with the same coordinates are one *place*. Its time is the sum of the model's smooth part and a deviation of the place (the
/// nugget); after an observation both are known. Places that are nearly alike share a *point*, at which their smooth parts are equal.
class KernelDesign {
 public:
  struct Place {
    std::vector<double> at;
    std::size_t subject = 0, call = 0;                   ///< its first call
    std::size_t point = 0;                               ///< point that the place belongs to
    double deviation = 0;                                ///< variance of its deviation
    std::vector<std::pair<std::size_t, double>> shares;  ///< subject and weighted share of its time; subjects ascend
    bool known = false;                                  ///< observed in this session or chosen to be observed
    bool seen = false;                                   ///< observed in an earlier session
  };

  /// Adds a call of a subject; subjects come in ascending order. Returns the place of the call.
  std::size_t add(std::vector<double> at, std::size_t subject, std::size_t call);
  /// Marks places as observed: known if observed in the session of the design's places, seen if in another one. The session is coordinate
  /// `session`, which the reference's follows.
  void mark_observed(std::span<const std::vector<double>> places, std::size_t session);
  /// Groups places whose coordinates agree within `coarseness` times the length scales into points. The coarseness grows until there are at
  /// most `max_points`.
  void form_points(std::span<const double> lengths, double coarseness, std::size_t max_points);
  /// Adds to a place's share of a subject's time, times the weight of the subject.
  void add_share(std::size_t place, std::size_t subject, double share);

  /// Begins the design. `smooth` is the covariance of the model's smooth part at the points (at their first places), `noise` the variance of one
  /// observation.
  void begin(const model::ProcessParameters& parameters, const std::vector<int>& groups, Eigen::MatrixXd smooth, double noise,
             std::size_t subject_count);
  /// Updates the covariances for an observation of a place.
  void observe(std::size_t place);
  /// Returns the next place of a point, which is the unknown one with most time; empty if none is left.
  [[nodiscard]] std::optional<std::size_t> next(std::size_t point) const;
  /// Removes a place that can't be observed.
  void skip_next(std::size_t point);
  /// Returns by subject the variance of the total that this kernel leaves.
  [[nodiscard]] Eigen::VectorXd variances() const { return sensitivity_.cwiseProduct(shares_).rowwise().sum() + deviations_; }
  /// Sets the open subjects: 1 for every subject whose variance matters, else 0.
  void update_gains(const Eigen::VectorXd& open);
  /// Returns by how much an observation of a place reduces the summed variance of the open subjects; all places of a point count as its next
  /// one.
  [[nodiscard]] double gain(std::size_t place) const;

  [[nodiscard]] const std::vector<Place>& places() const noexcept { return places_; }
  [[nodiscard]] std::size_t point_count() const noexcept { return points_.size(); }
  [[nodiscard]] const Place& first_place(std::size_t point) const { return places_[points_[point].first]; }
  /// Returns the coordinates of the points' first places.
  [[nodiscard]] model::GaussianProcess::Points coordinates() const;

 private:
  using Cell = std::vector<std::int64_t>;
  struct DesignPoint {
    std::size_t first = 0;
    std::vector<std::size_t> unknown;  ///< unknown places, the one with most time last
  };
  /// Returns the coordinates in steps of `widths`.
  static Cell cell_of(std::span<const double> at, std::span<const double> widths);
  static Cell exact_cell(std::span<const double> at);
  bool form_points(std::span<const double> widths, std::size_t max_points);
  void add_dependence(const Place& place, double sign);
  void update_next(std::size_t point);

  std::vector<Place> places_;
  std::map<Cell, std::size_t> place_at_;
  std::vector<DesignPoint> points_;
  Eigen::MatrixXd shares_;       ///< subjects x points: weighted share of the subject's time in unknown places
  Eigen::MatrixXd covariance_;   ///< points x points
  Eigen::MatrixXd sensitivity_;  ///< shares * covariance
  Eigen::VectorXd deviations_;   ///< index: subject; variance due to the deviations of unknown places
  Eigen::MatrixXd next_;         ///< subjects x points: covariance of the totals with the deviation of the next place
  Eigen::VectorXd next_noise_;   ///< index: point; variance of the next place's deviation and of its observation
  Eigen::VectorXd gains_;        ///< index: point
  double noise_ = 0;
};

}  // namespace flopcast::tuning
