#include "flopcast/selective/routine_family.hpp"

#include <algorithm>
#include <cmath>

#include "flopcast/support/division.hpp"

namespace flopcast::selective {

std::size_t decade_of(Seconds seconds) {
  constexpr double shortest = -7;  // powers of ten
  return static_cast<std::size_t>(std::clamp(std::log10(std::max(seconds, 1e-9)) - shortest, 0.0, static_cast<double>(time_decades - 1)));
}

void RelativeDeviations::add(double relative) noexcept {
  recent_[static_cast<std::size_t>(count_) % recent_.size()] = static_cast<float>(std::abs(relative));
  squares_ += relative * relative;
  ++count_;
}

double RelativeDeviations::variance() const {
  constexpr double of_normal = 1.4826;  // deviation over the median of magnitudes
  constexpr std::size_t enough = 8;
  std::array<float, 16> sorted = recent_;
  const std::size_t known = std::min(static_cast<std::size_t>(count_), sorted.size());
  if (known < enough) {
    return squares_ / static_cast<double>(std::max<std::int64_t>(count_, 1));
  }
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(known / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(known));
  return std::pow(of_normal * static_cast<double>(*middle), 2);
}

void RoutineFamily::add(std::uint32_t number, const KernelKey& key, double flops) {
  members_.push_back({number, size_terms(key, flops), size_place(key), flops, positive_sizes(key)});
  max_flops_ = std::max(max_flops_, flops);
  max_sizes_ = std::max(max_sizes_, members_.back().sizes);
}

void RoutineFamily::begin_run() {
  executed_ = 0;
  fitted_at_ = 0;
  prior = {};
  model_.reset();
}

void RoutineFamily::doubt_first_execution() {
  deviations = {};
  context_factors_ = {};
  prior = {};
  model_.reset();
}

std::vector<std::uint32_t> RoutineFamily::kernels() const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(members_.size());
  for (const Member& member : members_) {
    numbers.push_back(member.number);
  }
  return numbers;
}

void RoutineFamily::note_out_of_context(const KernelStatistics& in_context, Seconds seconds) {
  constexpr double max_logarithm = 1.4;  // a factor of four
  if (in_context.mean > 0 && seconds > 0) {
    ContextFactors& factors = context_factors_[decade_of(seconds)];
    factors.sum += std::clamp(std::log(seconds / in_context.mean), -max_logarithm, max_logarithm);
    ++factors.count;
  }
}

Seconds RoutineFamily::as_in_context(Seconds seconds) const {
  const std::size_t decade = decade_of(seconds);
  ContextFactors near;
  for (std::size_t i = decade > 0 ? decade - 1 : 0; i < std::min(decade + 2, time_decades); ++i) {
    near.sum += context_factors_[i].sum;
    near.count += context_factors_[i].count;
  }
  return near.count >= RelativeDeviations::min_degrees ? seconds / std::exp(near.sum / static_cast<double>(near.count)) : seconds;
}

/// Ignores times that differ from the expected time by a factor of two.
void RoutineFamily::note_ratio(Seconds predicted, Seconds seconds) noexcept {
  constexpr double max_factor = 2;
  if (seconds < max_factor * predicted && predicted < max_factor * seconds) {
    taken_ += seconds;
    predicted_ += predicted;
    ++ratio_count_;
  }
}

double RoutineFamily::ratio() const noexcept {
  constexpr double others = 2;
  if (ratio_count_ == 0) {
    return 1;
  }
  const double weight = others * predicted_ / static_cast<double>(ratio_count_);
  return (taken_ + weight) / (predicted_ + weight);
}

bool RoutineFamily::has_nothing_to_do(double flops, std::size_t sizes) const noexcept {
  return flops == 0 && (max_flops_ > 0 || sizes < max_sizes_);
}

bool RoutineFamily::has_nothing_to_do(const KernelKey& key, double flops) const noexcept {
  return has_nothing_to_do(flops, positive_sizes(key));
}

void RoutineFamily::fit_if_due(std::span<const KernelTimes> times, bool prior_counts) {
  if (!model_ || executed_ > fitted_at_ + fitted_at_ / 8) {
    model_.emplace(known_sizes(times, prior_counts));
    fitted_at_ = executed_;
    ++fit_;
  }
}

void RoutineFamily::forget_small_model() {
  constexpr std::size_t few = 64;
  if (members_.size() <= few) {
    model_.reset();
  }
}

/// Returns the sizes whose times are known, at most `max_points`, spread over the order in which they were met. Only times that hold in the
/// program are used if there are enough of them.
std::vector<SizeModel::FittedPoint> RoutineFamily::known_sizes(std::span<const KernelTimes> times, bool prior_counts) const {
  constexpr std::size_t enough = 8;
  constexpr std::size_t max_points = 160;
  std::vector<SizeModel::FittedPoint> points;
  std::vector<SizeModel::FittedPoint> out_of_context;
  for (const auto& [member, terms, place, flops, sizes] : members_) {
    if (has_nothing_to_do(flops, sizes)) {
      continue;
    }
    const KernelTimes& other = times[member];
    KernelStatistics in_program = other.in_program();
    if (in_program.count == 0 && prior_counts) {
      in_program = other.prior().times;
    }
    if (other.is_doubtful(in_program)) {
      continue;
    }
    if (in_program.count > 0 && in_program.mean > 0) {
      points.push_back({terms, in_program.mean, place});
    } else if (other.out_of_context().count > 0 && other.out_of_context().mean > 0) {
      out_of_context.push_back({terms, as_in_context(other.out_of_context().mean), place});
    }
  }
  if (points.size() < enough) {
    points.insert(points.end(), out_of_context.begin(), out_of_context.end());
  }
  const std::size_t step = ceil_div(points.size(), max_points);
  for (std::size_t i = 0; step > 1 && i * step < points.size(); ++i) {
    points[i] = points[i * step];
  }
  points.resize(step > 1 ? ceil_div(points.size(), step) : points.size());
  return points;
}

}  // namespace flopcast::selective
