#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "flopcast/model/process.hpp"

namespace flopcast::tune {

/// One kernel in a sampling design: where its calls are, what is known there, and how the totals of several subjects (traces) depend on it.
///
/// All calls with the same coordinates are one *place*. Its time is the model's smooth part and a deviation of its own (the nugget); once it
/// was observed both are known. Places that are nearly alike share a *point*, at which the smooth part is the same for them.
class KernelDesign {
 public:
  struct Place {
    std::vector<double> at;
    std::size_t subject = 0, call = 0;                   ///< the first of its calls
    std::size_t point = 0;                               ///< that it belongs to
    double deviation = 0;                                ///< variance of its own
    std::vector<std::pair<std::size_t, double>> shares;  ///< subject, weighted share of its time; ascending subjects
    bool known = false;                                  ///< observed, or chosen to be
  };

  /// Adds a call of a subject, subjects in ascending order; returns its place.
  std::size_t add(std::vector<double> at, std::size_t subject, std::size_t call);
  /// Observed before: nothing has to be learnt there.
  void mark_known(std::span<const std::vector<double>> places);
  /// Takes places together whose coordinates agree within `coarseness` times their length scales, or more until there are no more than
  /// `most_points`.
  void form_points(std::span<const double> lengths, double coarseness, std::size_t most_points);
  /// Adds to the share of a subject's time, times its weight, that a place has.
  void add_share(std::size_t place, std::size_t subject, double share);

  /// Begins the design: `smooth` is the covariance of the model's smooth part at the points (their first places), `noise` the variance of
  /// one observation.
  void begin(const model::ProcessParameters& parameters, const std::vector<int>& groups, Eigen::MatrixXd smooth, double noise,
             std::size_t subject_count);
  /// Takes what observing a place will tell into account.
  void observe(std::size_t place);
  /// The place of a point that comes next, the one with most time of those that nobody knows; nothing if none is left.
  [[nodiscard]] std::optional<std::size_t> next(std::size_t point) const;
  /// Leaves that place out: it can't be observed.
  void skip_next(std::size_t point);
  /// Of every subject's total: variance that this kernel leaves.
  [[nodiscard]] Eigen::VectorXd variances() const { return sensitivity_.cwiseProduct(shares_).rowwise().sum() + deviations_; }
  /// `open`: 1 for every subject whose variance matters, else 0.
  void update_gains(const Eigen::VectorXd& open);
  /// How much of the open subjects' summed variance observing a place takes away; places of one point count as its next one.
  [[nodiscard]] double gain(std::size_t place) const;

  [[nodiscard]] const std::vector<Place>& places() const noexcept { return places_; }
  [[nodiscard]] std::size_t point_count() const noexcept { return points_.size(); }
  [[nodiscard]] const Place& first_place(std::size_t point) const { return places_[points_[point].first]; }
  /// Coordinates of the points' first places.
  [[nodiscard]] model::Process::Points coordinates() const;

 private:
  using Cell = std::vector<std::int64_t>;
  struct Point {
    std::size_t first = 0;
    std::vector<std::size_t> unknown;  ///< places that nobody knows yet, the one with most time last
  };
  /// Coordinates in steps of `widths`.
  static Cell cell_of(std::span<const double> at, std::span<const double> widths);
  static Cell exact_cell(std::span<const double> at);
  bool form_points(std::span<const double> widths, std::size_t most_points);
  void add_dependence(const Place& place, double sign);
  void update_next(std::size_t point);

  std::vector<Place> places_;
  std::map<Cell, std::size_t> place_at_;
  std::vector<Point> points_;
  Eigen::MatrixXd shares_;       ///< subjects x points: weighted share of the subject's time, of the places not known
  Eigen::MatrixXd covariance_;   ///< points x points
  Eigen::MatrixXd sensitivity_;  ///< shares * covariance
  Eigen::VectorXd deviations_;   ///< of every subject: variance by the deviations of the places not known
  Eigen::MatrixXd next_;         ///< subjects x points: covariance of the totals with the deviation of the point's next place
  Eigen::VectorXd next_noise_;   ///< of every point: variance of that place's deviation and of its observation
  Eigen::VectorXd gains_;        ///< of every point
  double noise_ = 0;
};

}  // namespace flopcast::tune
