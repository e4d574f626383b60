#include "flopcast/selective/size_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "flopcast/support/division.hpp"

namespace flopcast::path {
namespace {

constexpr std::size_t flags_word = 6;  ///< index in the key of a computation; the last word is for strides
constexpr std::size_t term_count = std::tuple_size_v<SizeTerms>;

/// Returns the inverse of a symmetric positive definite matrix of order `n`, row by row, by Gauss-Jordan elimination. Returns nothing if it
/// is singular to working precision.
std::optional<std::vector<double>> inverse_of(std::vector<double> a, std::size_t n) {
  constexpr double min_pivot = 1e-10;
  std::vector<double> b(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    b[i * n + i] = 1;
  }
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) {
    diagonal[i] = a[i * n + i];
  }
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k * n + k];
    if (!(pivot > min_pivot * diagonal[k])) {
      return std::nullopt;
    }
    for (std::size_t j = 0; j < n; ++j) {
      a[k * n + j] /= pivot;
      b[k * n + j] /= pivot;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = a[i * n + k];
      for (std::size_t j = 0; i != k && j < n; ++j) {
        a[i * n + j] -= factor * a[k * n + j];
        b[i * n + j] -= factor * b[k * n + j];
      }
    }
  }
  return b;
}

/// A least-squares fit of relative errors by some of the terms.
struct Fit {
  std::vector<double> coefficients, inverse;
  double squares = std::numeric_limits<double>::infinity();
};

std::optional<Fit> fit(std::span<const SizeModel::Point> points, const std::vector<std::size_t>& used) {
  const std::size_t n = used.size();
  std::vector<double> normal(n * n, 0);
  std::vector<double> right(n, 0);
  for (const SizeModel::Point& point : points) {
    for (std::size_t i = 0; i < n; ++i) {
      const double x = point.terms[used[i]] / point.seconds;
      right[i] += x;
      for (std::size_t j = 0; j < n; ++j) {
        normal[i * n + j] += x * point.terms[used[j]] / point.seconds;
      }
    }
  }
  std::optional<std::vector<double>> inverse = inverse_of(std::move(normal), n);
  if (!inverse) {
    return std::nullopt;
  }
  Fit found{std::vector<double>(n, 0), std::move(*inverse), 0};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      found.coefficients[i] += found.inverse[i * n + j] * right[j];
    }
    if (found.coefficients[i] < 0) {
      return std::nullopt;
    }
  }
  for (const SizeModel::Point& point : points) {
    double value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      value += found.coefficients[i] * point.terms[used[i]];
    }
    found.squares += std::pow(value / point.seconds - 1, 2);
  }
  return found;
}

double operations(const SizeTerms& terms) { return terms.back(); }

double distance_square(const SizePlace& a, const SizePlace& b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    square += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return square;
}

}  // namespace

SizeTerms size_terms(const KernelKey& key, double flops) {
  if (key.kind == KernelKind::communication) {
    return {1, 0, 0, static_cast<double>(key.words[0])};
  }
  const std::size_t sizes = key.kind == KernelKind::computation ? flags_word : key.words.size();
  SizeTerms terms = {1, 0, 0, 0};
  double product = 1;
  std::size_t used = 0;
  for (std::size_t i = 0; i < sizes; ++i) {
    const auto size = static_cast<double>(key.words[i]);
    if (size <= 0) {
      continue;
    }
    terms[2] += terms[1] * size;
    terms[1] += size;
    product *= size;
    ++used;
  }
  if (used == 1) {
    terms[2] = terms[1] * terms[1];
  }
  terms[3] = flops > 0 ? flops : product;
  return terms;
}

std::size_t positive_sizes(const KernelKey& key) {
  if (key.kind == KernelKind::communication) {
    return 0;
  }
  const auto end = key.kind == KernelKind::computation ? key.words.begin() + flags_word : key.words.end();
  return static_cast<std::size_t>(std::count_if(key.words.begin(), end, [](std::int64_t size) { return size > 0; }));
}

SizePlace size_place(const KernelKey& key) {
  SizePlace place{};
  const std::size_t sizes = key.kind == KernelKind::communication ? 1 : place.size();
  for (std::size_t i = 0; i < sizes; ++i) {
    place[i] = std::log(1 + static_cast<double>(std::max<std::int64_t>(key.words[i], 0)));
  }
  return place;
}

KernelKey without_sizes(const KernelKey& key) {
  KernelKey group = key;
  if (key.kind == KernelKind::communication) {
    group.words[0] = 0;
  } else {
    std::fill(group.words.begin(), key.kind == KernelKind::computation ? group.words.begin() + flags_word : group.words.end(), 0);
  }
  return group;
}

SizeModel::SizeModel(std::span<const Point> points) {
  constexpr std::size_t min_sizes = 4;
  if (points.size() < min_sizes) {
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << term_count; ++set) {  // every set of terms; the best fit without a negative coefficient counts
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < term_count; ++i) {
      if ((set >> i & 1U) != 0) {
        used.push_back(i);
      }
    }
    if (points.size() < used.size() + 2) {
      continue;
    }
    const std::optional<Fit> found = fit(points, used);
    const double degrees = static_cast<double>(points.size() - used.size());
    if (found && found->squares / degrees < best) {
      best = found->squares / degrees;
      used_ = used;
      coefficients_ = found->coefficients;
      inverse_ = found->inverse;
      degrees_ = degrees;
    }
  }
  variance_ = best;
  const auto [least, most] = std::minmax_element(points.begin(), points.end(),
                                                 [](const Point& a, const Point& b) { return operations(a.terms) < operations(b.terms); });
  least_ = operations(least->terms);
  most_ = operations(most->terms);
  note_residuals(points);
}

double SizeModel::value(const SizeTerms& terms) const {
  double sum = 0;
  for (std::size_t i = 0; i < used_.size(); ++i) {
    sum += coefficients_[i] * terms[used_[i]];
  }
  return sum;
}

/// Weights fall with the fourth power of the distance. Sizes within 5 % count alike, and the fit itself counts as a size at twice the
/// place.
std::pair<double, double> SizeModel::correction(const SizePlace& place) const {
  constexpr float alike = 0.05F * 0.05F;
  constexpr double far = 0.7 * 0.7;
  std::vector<float> squares(residuals_.values.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    const auto own = static_cast<float>(place[i]);
    for (std::size_t j = 0; j < squares.size(); ++j) {
      const float difference = residuals_.places[i][j] - own;
      squares[j] += difference * difference;
    }
  }
  double weights = 1 / ((far + alike) * (far + alike));
  double sum = 0;
  float nearest = std::numeric_limits<float>::infinity();
  for (std::size_t j = 0; j < squares.size(); ++j) {
    if (squares[j] > 0) {  // the size itself is left out
      const float near = alike + squares[j];
      const float weight = 1 / (near * near);
      weights += weight;
      sum += weight * residuals_.values[j];
      nearest = std::min(nearest, squares[j]);
    }
  }
  return {sum / weights, nearest};
}

/// Finds the error of corrected fits by leaving out one size after the other; if there are many sizes, some of them.
void SizeModel::note_residuals(std::span<const Point> points) {
  constexpr std::size_t max_tried = 48;
  if (used_.empty()) {
    return;
  }
  for (const Point& point : points) {
    for (std::size_t i = 0; i < point.place.size(); ++i) {
      residuals_.places[i].push_back(static_cast<float>(point.place[i]));
    }
    residuals_.values.push_back(static_cast<float>(std::log(point.seconds / std::max(value(point.terms), 1e-12))));
  }
  const std::size_t step = ceil_div(points.size(), max_tried);
  for (std::size_t i = 0; i < points.size(); i += step) {
    trials_.push_back({points[i].place, std::pow(residuals_.values[i] - correction(points[i].place).first, 2)});
  }
}

/// The sizes that were left out tell the variance, the nearer ones more. Times of short kernels scatter by a half where those of long ones
/// don't scatter by a tenth, so that neither tells about the other. Weights fall with the fourth power of the distance beyond a factor of
/// two. The degrees of freedom are the effective sample size of weighted trials (Kish, "Survey sampling", 1965).
std::pair<double, double> SizeModel::variance_near(const SizePlace& place) const {
  constexpr double apart = 0.7 * 0.7;
  double weights = 0;
  double weight_squares = 0;
  double sum = 0;
  for (const Trial& trial : trials_) {
    const double square = apart + distance_square(trial.place, place);
    const double weight = 1 / (square * square);
    weights += weight;
    weight_squares += weight * weight;
    sum += weight * trial.square;
  }
  return {sum / weights, weights * weights / weight_squares};
}

std::optional<SizePrediction> SizeModel::predict(const SizeTerms& terms, StudentQuantiles& quantiles, const SizePlace& place) const {
  constexpr double below = 0.5;
  constexpr double above = 1.5;
  constexpr double near = 0.35 * 0.35;
  constexpr double min_degrees = 3;
  if (used_.empty() || operations(terms) < below * least_ || operations(terms) > above * most_) {
    return std::nullopt;
  }
  const double fitted = value(terms);
  if (fitted <= 0) {
    return std::nullopt;
  }
  const std::size_t n = used_.size();
  double leverage = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      leverage += terms[used_[i]] / fitted * inverse_[i * n + j] * terms[used_[j]] / fitted;
    }
  }
  const auto [logarithm, nearest] = correction(place);
  const double mean = fitted * std::exp(logarithm);
  if (const auto [variance, degrees] = variance_near(place); nearest <= near && degrees >= min_degrees) {
    return SizePrediction{mean, quantiles(degrees) * std::sqrt(variance * (1 + leverage)) * mean};
  }
  return SizePrediction{mean, quantiles(degrees_) * std::sqrt(variance_ * (1 + leverage)) * mean};
}

}  // namespace flopcast::path
