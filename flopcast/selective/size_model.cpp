#include "flopcast/selective/size_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include <Eigen/Cholesky>

#include "flopcast/support/division.hpp"

namespace flopcast::selective {
namespace {

constexpr std::size_t flags_word = 6;  ///< index in the key of a computation; the last word is for strides
constexpr std::size_t term_count = std::tuple_size_v<SizeTerms>;

/// At most `term_count` rows and columns, so that nothing is allocated.
using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, term_count, 1>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, term_count, term_count>;

/// Returns the inverse of a symmetric positive definite matrix. Returns nothing if the matrix, scaled to a diagonal of ones, is singular to
/// working precision.
std::optional<Matrix> inverse_of(const Matrix& a) {
  constexpr double min_pivot = 1e-10;
  if (!(a.diagonal().minCoeff() > 0)) {
    return std::nullopt;
  }
  const Vector scale = a.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LDLT<Matrix> factors(scale.asDiagonal() * a * scale.asDiagonal());
  if (!(factors.vectorD().minCoeff() > min_pivot)) {
    return std::nullopt;
  }
  const Matrix scaled = factors.solve(Matrix::Identity(a.rows(), a.cols()));
  return scale.asDiagonal() * scaled * scale.asDiagonal();
}

/// A least-squares fit of relative errors by some of the terms.
struct SizeFit {
  Vector coefficients;
  Matrix inverse;      ///< inverse of the normal equations
  double squares = 0;  ///< sum of squared relative errors
};

std::optional<SizeFit> fit(std::span<const SizeModel::FittedPoint> points, const std::vector<std::size_t>& used) {
  const auto n = static_cast<Eigen::Index>(used.size());
  Matrix normal = Matrix::Zero(n, n);
  Vector right = Vector::Zero(n);
  const auto relative_terms = [&](const SizeModel::FittedPoint& point) {
    Vector terms(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      terms[i] = point.terms[used[static_cast<std::size_t>(i)]] / point.seconds;
    }
    return terms;
  };
  for (const SizeModel::FittedPoint& point : points) {
    const Vector terms = relative_terms(point);
    right += terms;
    normal += terms * terms.transpose();
  }
  const std::optional<Matrix> inverse = inverse_of(normal);
  if (!inverse) {
    return std::nullopt;
  }
  SizeFit found{*inverse * right, *inverse, 0};
  if (found.coefficients.minCoeff() < 0) {
    return std::nullopt;
  }
  for (const SizeModel::FittedPoint& point : points) {
    const Vector terms = relative_terms(point);
    const double expected = std::inner_product(terms.begin(), terms.end(), found.coefficients.begin(), 0.0);
    found.squares += std::pow(expected - 1, 2);
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

SizeModel::SizeModel(std::span<const FittedPoint> points) {
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
    const std::optional<SizeFit> found = fit(points, used);
    const double degrees = static_cast<double>(points.size() - used.size());
    if (found && found->squares / degrees < best) {
      best = found->squares / degrees;
      used_ = used;
      coefficients_.assign(found->coefficients.begin(), found->coefficients.end());
      inverse_.assign(found->inverse.reshaped().begin(), found->inverse.reshaped().end());
      degrees_ = degrees;
    }
  }
  variance_ = best;
  const auto [lowest, highest] = std::minmax_element(
      points.begin(), points.end(), [](const FittedPoint& a, const FittedPoint& b) { return operations(a.terms) < operations(b.terms); });
  min_operations_ = operations(lowest->terms);
  max_operations_ = operations(highest->terms);
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
    if (squares[j] > 0) {  // the size itself is skipped
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
void SizeModel::note_residuals(std::span<const FittedPoint> points) {
  constexpr std::size_t max_tried = 48;
  if (used_.empty()) {
    return;
  }
  for (const FittedPoint& point : points) {
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

/// The sizes that were skipped tell the variance, the nearer ones more. Times of short kernels scatter by a half where those of long ones
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
  if (used_.empty() || operations(terms) < below * min_operations_ || operations(terms) > above * max_operations_) {
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

}  // namespace flopcast::selective
