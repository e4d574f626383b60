#include "flopcast/path/size_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "flopcast/core/statistics.hpp"

namespace flopcast::path {
namespace {

constexpr std::size_t flags_word = 6;  ///< of the key of a computation; the last one is for strides
constexpr std::size_t term_count = std::tuple_size_v<SizeTerms>;

/// The inverse of a symmetric positive definite matrix of order `n`, row by row, by Gauss and Jordan; nothing if it is singular to working
/// precision.
std::optional<std::vector<double>> inverse_of(std::vector<double> a, std::size_t n) {
  constexpr double least_pivot = 1e-10;
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
    if (!(pivot > least_pivot * diagonal[k])) {
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
  constexpr std::size_t least_sizes = 4;
  if (points.size() < least_sizes) {
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << term_count; ++set) {  // of terms: the best one without a negative coefficient
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
}

std::optional<SizePrediction> SizeModel::predict(const SizeTerms& terms, double confidence) const {
  constexpr double below = 0.5;
  constexpr double above = 1.5;
  if (used_.empty() || operations(terms) < below * least_ || operations(terms) > above * most_) {
    return std::nullopt;
  }
  const std::size_t n = used_.size();
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    mean += coefficients_[i] * terms[used_[i]];
  }
  if (mean <= 0) {
    return std::nullopt;
  }
  double leverage = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      leverage += terms[used_[i]] / mean * inverse_[i * n + j] * terms[used_[j]] / mean;
    }
  }
  const double quantile = student_t_quantile((1 + confidence) / 2, degrees_);
  return SizePrediction{mean, quantile * std::sqrt(variance_ * (1 + leverage)) * mean};
}

}  // namespace flopcast::path
