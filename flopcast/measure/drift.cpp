#include "flopcast/measure/drift.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "flopcast/core/statistics.hpp"

namespace flopcast::measure {
namespace {

constexpr std::size_t few = 8;  // references that say nothing on their distribution

}  // namespace

void Drift::DriftSeries::add(double value) {
  values_.push_back(value);
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
}

double Drift::DriftSeries::ratio(std::size_t at) const {
  const double quiet = known_ > 0 ? std::min(known_, lower_quartile()) : lower_quartile();
  return quiet > 0 ? values_[at] / quiet : 1;
}

void Drift::add(Seconds at, const ReferenceTimes& times) {
  assert(moments_.empty() || at >= moments_.back());
  moments_.push_back(at);
  product_.add(times.product);
  solve_.add(times.product > 0 ? times.solve / times.product : 0);
}

double Drift::quiet_solve() const { return moments_.size() < few ? 0 : solve_.lower_quartile(); }

std::size_t Drift::first_after(Seconds at) const {
  return static_cast<std::size_t>(std::lower_bound(moments_.begin(), moments_.end(), at) - moments_.begin());
}

double Drift::slowness(std::size_t reference) const { return std::max(product_.ratio(reference), solve_.ratio(reference)); }

double Drift::slowness(Seconds from, Seconds to) const {
  constexpr Seconds reach = 0.1;
  const std::size_t before = first_after(from);
  const std::size_t after = first_after(to);
  if (before == 0 || after == moments_.size() || moments_[after] - moments_[before - 1] > reach) {
    return 0;
  }
  return std::max(slowness(before - 1), slowness(after));
}

Seconds Drift::median_time() const {
  std::vector<Seconds> quiet, all;
  for (std::size_t reference = 0; reference < moments_.size(); ++reference) {
    all.push_back(product_[reference]);
    if (slowness(reference) < slow) {
      quiet.push_back(product_[reference]);
    }
  }
  // Each kernel may be slow at other moments, so that no quiet reference is left.
  const std::vector<Seconds>& times = quiet.empty() ? all : quiet;
  return times.empty() ? 0 : median(times);
}

double Drift::noise_of(std::span<const Seconds> times) {
  static constexpr double normal_quartiles = 1.349;  // distance of a normal distribution's quartiles in standard deviations
  const Summary summary = summarise(times);
  const double deviation = (summary.third_quartile - summary.first_quartile) / (normal_quartiles * summary.median);
  return deviation >= noisy ? deviation : 0;
}

double Drift::noise(Seconds from) const {
  std::vector<Seconds> times;
  for (std::size_t reference = first_after(from); reference < moments_.size(); ++reference) {
    times.push_back(product_[reference]);
  }
  return times.size() < few ? 0 : noise_of(times);
}

double Drift::spread() const {
  static constexpr double share = 0.95;
  static constexpr double normal_range = 1.96;  // half of a normal distribution's 95 % range in standard deviations
  static constexpr std::size_t moment = 5;
  if (moments_.size() < few) {
    return 0;
  }
  std::vector<Seconds> times;
  for (std::size_t first = 0; first + moment <= moments_.size(); ++first) {
    times.push_back(
        median(std::array{product_[first], product_[first + 1], product_[first + 2], product_[first + 3], product_[first + 4]}));
  }
  const Seconds centre = median(times);
  std::vector<double> distances;
  for (const Seconds time : times) {
    distances.push_back(std::fabs(time / centre - 1));
  }
  return quantile(distances, share) / normal_range;
}

Seconds Drift::time_near(Seconds at) const {
  constexpr std::size_t neighbours = 5;
  const std::size_t after = first_after(at);
  const auto is_slow = [&](std::size_t reference) { return slowness(reference) >= slow; };
  const bool is_quiet = (after == 0 || !is_slow(after - 1)) && (after == moments_.size() || !is_slow(after));
  const auto counts = [&](std::size_t reference) { return !is_quiet || !is_slow(reference); };
  std::vector<Seconds> near;
  std::size_t earlier = after;  // the references before `earlier` and from `later` on are still to be checked
  std::size_t later = after;
  while (near.size() < neighbours && (earlier > 0 || later < moments_.size())) {
    const bool is_earlier_nearer = later == moments_.size() || (earlier > 0 && at - moments_[earlier - 1] <= moments_[later] - at);
    const std::size_t next = is_earlier_nearer ? --earlier : later++;
    if (counts(next)) {
      near.push_back(product_[next]);
    }
  }
  return near.empty() ? 0 : median(near);
}

}  // namespace flopcast::measure
