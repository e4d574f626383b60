#include "flopcast/tune/kernel_design.hpp"

#include <algorithm>
#include <cmath>

namespace flopcast::tuning {

KernelDesign::Cell KernelDesign::cell_of(std::span<const double> at, std::span<const double> widths) {
  Cell cell;
  cell.reserve(at.size());
  for (std::size_t d = 0; d < at.size(); ++d) {
    cell.push_back(std::llround(at[d] / widths[d]));
  }
  return cell;
}

KernelDesign::Cell KernelDesign::exact_cell(std::span<const double> at) {
  static constexpr double rounding = 1e-6;
  return cell_of(at, std::vector<double>(at.size(), rounding));
}

std::size_t KernelDesign::add(std::vector<double> at, std::size_t subject, std::size_t call) {
  const auto [place, is_new] = place_at_.try_emplace(exact_cell(at), places_.size());
  if (is_new) {
    places_.push_back({std::move(at), subject, call, 0, 0, {}, false, false});
  }
  return place->second;
}

void KernelDesign::mark_observed(std::span<const std::vector<double>> places, std::size_t session) {
  if (places_.empty()) {
    return;
  }
  const std::vector<double>& wanted = places_.front().at;  // all have the same state
  for (std::vector<double> at : places) {
    const bool is_known = at[session] == wanted[session];
    std::copy_n(wanted.begin() + static_cast<std::ptrdiff_t>(session), 2, at.begin() + static_cast<std::ptrdiff_t>(session));
    if (const auto place = place_at_.find(exact_cell(at)); place != place_at_.end()) {
      (is_known ? places_[place->second].known : places_[place->second].seen) = true;
    }
  }
}

void KernelDesign::form_points(std::span<const double> lengths, double coarseness, std::size_t max_points) {
  static constexpr double growth = 1.5;
  std::vector<double> widths;
  for (const double length : lengths) {
    widths.push_back(coarseness * length);
  }
  while (!form_points(widths, max_points)) {
    for (double& width : widths) {
      width *= growth;
    }
  }
}

/// Returns false if there are too many points.
bool KernelDesign::form_points(std::span<const double> widths, std::size_t max_points) {
  std::map<Cell, std::size_t> cells;
  points_.clear();
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const auto [cell, is_new] = cells.try_emplace(cell_of(places_[p].at, widths), points_.size());
    if (is_new) {
      if (points_.size() == max_points) {
        return false;
      }
      points_.push_back({p, {}});
    }
    places_[p].point = cell->second;
    if (!places_[p].known) {
      points_[cell->second].unknown.push_back(p);
    }
  }
  return true;
}

void KernelDesign::add_share(std::size_t place, std::size_t subject, double share) {
  std::vector<std::pair<std::size_t, double>>& shares = places_[place].shares;
  if (shares.empty() || shares.back().first != subject) {
    shares.emplace_back(subject, 0);
  }
  shares.back().second += share;
}

model::GaussianProcess::Points KernelDesign::coordinates() const {
  const auto count = static_cast<Eigen::Index>(points_.size());
  model::GaussianProcess::Points coordinates(count, static_cast<Eigen::Index>(places_.front().at.size()));
  for (Eigen::Index p = 0; p < count; ++p) {
    const std::vector<double>& at = first_place(static_cast<std::size_t>(p)).at;
    coordinates.row(p) = Eigen::Map<const Eigen::RowVectorXd>(at.data(), coordinates.cols());
  }
  return coordinates;
}

void KernelDesign::begin(const model::ProcessParameters& parameters, const std::vector<int>& groups, Eigen::MatrixXd smooth, double noise,
                         std::size_t subject_count) {
  const auto subjects = static_cast<Eigen::Index>(subject_count);
  const auto points = static_cast<Eigen::Index>(points_.size());
  noise_ = noise;
  covariance_ = std::move(smooth);
  shares_ = next_ = Eigen::MatrixXd::Zero(subjects, points);
  deviations_ = Eigen::VectorXd::Zero(subjects);
  next_noise_ = gains_ = Eigen::VectorXd::Zero(points);
  for (Place& place : places_) {
    const double deviation = model::GaussianProcess::nugget(place.at.data(), groups, parameters);
    place.deviation = place.seen ? 0 : deviation * deviation;
    if (!place.known) {
      add_dependence(place, 1);
    }
  }
  sensitivity_ = shares_ * covariance_;
  const auto time = [this](std::size_t place) {
    double sum = 0;
    for (const auto& [subject, share] : places_[place].shares) {
      sum += share * share;
    }
    return sum;
  };
  for (std::size_t p = 0; p < points_.size(); ++p) {
    std::vector<std::size_t>& unknown = points_[p].unknown;
    std::stable_sort(unknown.begin(), unknown.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
    update_next(p);
  }
}

/// Adds `sign` times the dependence of the totals on an unknown place.
void KernelDesign::add_dependence(const Place& place, double sign) {
  for (const auto& [subject, share] : place.shares) {
    const auto s = static_cast<Eigen::Index>(subject);
    shares_(s, static_cast<Eigen::Index>(place.point)) += sign * share;
    deviations_[s] += sign * place.deviation * share * share;
  }
}

std::optional<std::size_t> KernelDesign::next(std::size_t point) const {
  const std::vector<std::size_t>& unknown = points_[point].unknown;
  return unknown.empty() ? std::nullopt : std::optional(unknown.back());
}

void KernelDesign::skip_next(std::size_t point) {
  points_[point].unknown.pop_back();
  update_next(point);
}

void KernelDesign::update_next(std::size_t point) {
  const auto column = static_cast<Eigen::Index>(point);
  next_.col(column).setZero();
  next_noise_[column] = noise_;
  if (const std::optional<std::size_t> which = next(point)) {
    const Place& place = places_[*which];
    next_noise_[column] += place.deviation;
    for (const auto& [subject, share] : place.shares) {
      next_(static_cast<Eigen::Index>(subject), column) = place.deviation * share;
    }
  }
}

void KernelDesign::update_gains(const Eigen::VectorXd& open) {
  gains_ = ((sensitivity_ + next_).cwiseAbs2().transpose() * open).array() / (covariance_.diagonal() + next_noise_).array();
}

double KernelDesign::gain(std::size_t place) const {
  return places_[place].known ? 0 : gains_[static_cast<Eigen::Index>(places_[place].point)];
}

void KernelDesign::observe(std::size_t observed) {
  Place& place = places_[observed];
  if (place.known) {
    return;
  }
  // An observation is the sum of smooth part, deviation and noise. The smooth part is conditioned on it, and the place's share is removed.
  const auto p = static_cast<Eigen::Index>(place.point);
  const double scale = 1 / std::sqrt(covariance_(p, p) + place.deviation + noise_);
  const Eigen::VectorXd column = covariance_.col(p) * scale;
  Eigen::VectorXd change = sensitivity_.col(p) * scale;
  for (const auto& [subject, share] : place.shares) {
    change[static_cast<Eigen::Index>(subject)] += (place.deviation + noise_) * share * scale;
  }
  covariance_.noalias() -= column * column.transpose();
  sensitivity_.noalias() -= change * column.transpose();
  add_dependence(place, -1);
  place.known = true;
  std::vector<std::size_t>& unknown = points_[place.point].unknown;
  unknown.erase(std::remove(unknown.begin(), unknown.end(), observed), unknown.end());
  update_next(place.point);
}

}  // namespace flopcast::tuning
