#include "flopcast/machine/caches/cache_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double worst_residual = 9;          // squared, in units of the noise: one outlier doesn't make a plateau
constexpr double parameters_per_plateau = 3;  // height, begin, end

/// A curve in logarithms with the scatter of its points.
struct LogCurve {
  std::vector<double> x, y;
  double noise = 0;

  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// First and last point of a plateau, and its height.
struct Plateau {
  std::size_t first = 0, last = 0;
  double height = 0;
};

double loss(double residual, double noise) {
  const double scaled = residual / noise;
  return std::min(scaled * scaled, worst_residual);
}

/// Scatter of single points from their second differences, which plateaus and slopes hardly enter.
double scatter(const std::vector<double>& y) {
  std::vector<double> differences;
  for (std::size_t i = 1; i + 1 < y.size(); ++i) {
    differences.push_back(std::fabs(y[i - 1] - 2 * y[i] + y[i + 1]));
  }
  constexpr double normal_deviation = 1.4826;  // standard deviation / median absolute deviation
  return differences.empty() ? 0 : normal_deviation * median(differences) / std::sqrt(6.0);
}

LogCurve logarithms(std::span<const CurvePoint> curve, double noise_floor) {
  LogCurve result;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto [x, y] = curve[i];
    if (!(x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y))) {
      throw bad_input("point {} of the curve is ({}, {}); both must be positive and finite", i, x, y);
    }
    if (i > 0 && x <= curve[i - 1].x) {
      throw bad_input("x of point {} of the curve is {}, after {}; it must increase", i, x, curve[i - 1].x);
    }
    result.x.push_back(std::log(x));
    result.y.push_back(std::log(y));
  }
  result.noise = std::max(noise_floor, scatter(result.y));
  return result;
}

/// Height of the straight rise between two plateaus at point i.
double rise_at(const LogCurve& curve, const Plateau& from, const Plateau& to, std::size_t i) {
  const double share = (curve.x[i] - curve.x[from.last]) / (curve.x[to.first] - curve.x[from.last]);
  return from.height + share * (to.height - from.height);
}

double rise_loss(const LogCurve& curve, const Plateau& from, const Plateau& to) {
  double sum = 0;
  for (std::size_t i = from.last + 1; i < to.first; ++i) {
    sum += loss(curve.y[i] - rise_at(curve, from, to, i), curve.noise);
  }
  return sum;
}

Plateau plateau(const LogCurve& curve, std::size_t first, std::size_t last) {
  return {first, last, median(std::span(curve.y).subspan(first, last - first + 1))};
}

double plateau_loss(const LogCurve& curve, const Plateau& part) {
  double sum = 0;
  for (std::size_t i = part.first; i <= part.last; ++i) {
    sum += loss(curve.y[i] - part.height, curve.noise);
  }
  return sum;
}

bool may_follow(const LogCurve& curve, const Plateau& from, const Plateau& to, const KneeOptions& options) {
  return to.height - from.height >= std::log(options.smallest_step) &&
         curve.x[to.first] - curve.x[from.last] <= std::log(options.longest_rise);
}

/// The best sequence of plateaus that ends with one particular plateau.
struct Partial {
  Plateau plateau;
  double loss = infinity;
  std::ptrdiff_t before = -1;  ///< index of the plateau before, -1: none
};

/// All plateaus that are long and wide enough, by their first point.
std::vector<Partial> candidates(const LogCurve& curve, const KneeOptions& options) {
  const auto shortest = static_cast<std::size_t>(std::max(1, options.shortest_plateau));
  std::vector<Partial> all;
  for (std::size_t first = 0; first < curve.size(); ++first) {
    for (std::size_t last = first + shortest - 1; last < curve.size(); ++last) {
      const bool at_an_end = first == 0 || last + 1 == curve.size();
      if (at_an_end || curve.x[last] - curve.x[first] >= std::log(options.narrowest_plateau)) {
        all.push_back({plateau(curve, first, last)});
      }
    }
  }
  return all;
}

/// Plateaus of the whole curve with the least loss, from left to right.
std::vector<Plateau> split(const LogCurve& curve, const KneeOptions& options) {
  const double penalty = parameters_per_plateau * std::log(static_cast<double>(std::max<std::size_t>(2, curve.size())));
  std::vector<Partial> all = candidates(curve, options);
  std::vector<std::vector<std::size_t>> ending_at(curve.size());  // of those whose sequence is known to exist
  for (std::size_t i = 0; i < all.size(); ++i) {
    Partial& current = all[i];
    const std::size_t first = current.plateau.first;
    double least = first == 0 ? 0 : infinity;
    for (std::size_t end = first; end-- > 0 && curve.x[first] - curve.x[end] <= std::log(options.longest_rise);) {
      for (const std::size_t previous : ending_at[end]) {
        const Partial& before = all[previous];
        if (before.loss >= least || !may_follow(curve, before.plateau, current.plateau, options)) {
          continue;
        }
        const double joined = before.loss + rise_loss(curve, before.plateau, current.plateau);
        if (joined < least) {
          least = joined;
          current.before = static_cast<std::ptrdiff_t>(previous);
        }
      }
    }
    if (least < infinity) {
      current.loss = least + penalty + plateau_loss(curve, current.plateau);
      ending_at[current.plateau.last].push_back(i);
    }
  }
  std::ptrdiff_t best = -1;
  for (const std::size_t last : curve.size() == 0 ? std::vector<std::size_t>() : ending_at.back()) {
    best = best < 0 || all[last].loss < all[static_cast<std::size_t>(best)].loss ? static_cast<std::ptrdiff_t>(last) : best;
  }
  std::vector<Plateau> plateaus;
  for (; best >= 0; best = all[static_cast<std::size_t>(best)].before) {
    plateaus.push_back(all[static_cast<std::size_t>(best)].plateau);
  }
  std::reverse(plateaus.begin(), plateaus.end());
  return plateaus;
}

/// Largest x of the curve at which the fitted cost has risen by no more than half of its step.
double half_way(const LogCurve& curve, const Plateau& from, const Plateau& to) {
  const double half = (std::exp(from.height) + std::exp(to.height)) / 2;
  std::size_t position = from.last;
  while (position + 1 < to.first && std::exp(rise_at(curve, from, to, position + 1)) <= half) {
    ++position;
  }
  return std::exp(curve.x[position]);
}

/// Moves the end of `from` and the start of `to` to where the rise between them fits best; their heights stay.
void refit(const LogCurve& curve, Plateau& from, Plateau& to, const KneeOptions& options) {
  const Plateau left = from, right = to;
  double least = infinity;
  for (std::size_t last = left.first; last < right.last; ++last) {
    const Plateau a{left.first, last, left.height};
    for (std::size_t first = last + 1; first <= right.last && curve.x[first] - curve.x[last] <= std::log(options.longest_rise); ++first) {
      const Plateau b{first, right.last, right.height};
      const double sum = plateau_loss(curve, a) + rise_loss(curve, a, b) + plateau_loss(curve, b);
      if (sum < least) {
        least = sum;
        from = a;
        to = b;
      }
    }
  }
}

/// The knee between two plateaus, with its interval from refits to resampled residuals.
Knee knee(const LogCurve& curve, const Plateau& from, const Plateau& to, const KneeOptions& options) {
  std::vector<double> fitted(curve.y);
  std::vector<double> residuals;
  for (std::size_t i = from.first; i <= to.last; ++i) {
    fitted[i] = i <= from.last ? from.height : i >= to.first ? to.height : rise_at(curve, from, to, i);
    residuals.push_back(curve.y[i] - fitted[i]);
  }
  std::mt19937_64 random(options.seed);
  std::vector<double> begins, ends;
  for (int resample = 0; resample < options.resamples; ++resample) {
    LogCurve drawn = curve;
    for (std::size_t i = from.first; i <= to.last; ++i) {
      drawn.y[i] = fitted[i] + residuals[random() % residuals.size()];
    }
    Plateau left = from, right = to;
    refit(drawn, left, right, options);
    begins.push_back(std::exp(drawn.x[left.last]));
    ends.push_back(std::exp(drawn.x[right.first]));
  }
  Knee result;
  result.position = half_way(curve, from, to);
  result.low = std::min(std::exp(curve.x[from.last]), begins.empty() ? infinity : quantile(begins, 0.05));
  result.high = std::max(std::exp(curve.x[to.first]), ends.empty() ? 0 : quantile(ends, 0.95));
  result.before = std::exp(from.height);
  result.after = std::exp(to.height);
  return result;
}

}  // namespace

std::vector<Knee> find_knees(std::span<const CurvePoint> points, const KneeOptions& options) {
  const LogCurve curve = logarithms(points, options.noise_floor);
  const std::vector<Plateau> plateaus = split(curve, options);
  std::vector<Knee> knees;
  for (std::size_t i = 0; i + 1 < plateaus.size(); ++i) {
    knees.push_back(knee(curve, plateaus[i], plateaus[i + 1], options));
  }
  return knees;
}

}  // namespace flopcast::machine
