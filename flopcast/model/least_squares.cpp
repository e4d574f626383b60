#include "flopcast/core/kernel_model.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "flopcast/core/statistics.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

void check(std::span<const Sizes> points, std::span<const Seconds> seconds) {
  if (points.empty() || points.size() != seconds.size()) {
    throw bad_input("a fit of {} times at {} points is impossible; expected at least one point, and one time per point", seconds.size(),
                    points.size());
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(seconds[i]) || seconds[i] <= 0) {
      throw bad_input("the time at sizes ({}) is {} s; a relative fit needs positive times", fmt::join(points[i], ", "), seconds[i]);
    }
  }
}

/// Returns the monomials whose every exponent is below the number of distinct values of its size in `points`.
std::vector<Monomial> distinguishable(std::span<const Monomial> monomials, std::span<const Sizes> points) {
  std::vector<std::size_t> distinct;
  for (std::size_t d = 0; d < points.front().size(); ++d) {
    std::set<std::int64_t> values;
    for (const Sizes& point : points) {
      values.insert(point[d]);
    }
    distinct.push_back(values.size());
  }
  std::vector<Monomial> kept;
  for (const Monomial& monomial : monomials) {
    bool keep = true;
    for (std::size_t d = 0; d < distinct.size(); ++d) {
      keep = keep && monomial[d] < distinct[d];
    }
    if (keep) {
      kept.push_back(monomial);
    }
  }
  return kept;
}

Polynomial centred(std::vector<Monomial> monomials, const Box& box) {
  Polynomial polynomial;
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    polynomial.centre.push_back(0.5 * static_cast<double>(box.low[d] + box.high[d]));
    polynomial.scale.push_back(std::max(1.0, 0.5 * static_cast<double>(box.high[d] - box.low[d])));
  }
  polynomial.monomials = std::move(monomials);
  return polynomial;
}

/// Returns the matrix whose row i holds every monomial at points[i], divided by seconds[i]. The least-squares problem is then to
/// approximate ones.
Eigen::MatrixXd design_matrix(const Polynomial& polynomial, std::span<const Sizes> points, std::span<const Seconds> seconds) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(polynomial.monomials.size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const Sizes& point = points[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      double product = 1 / seconds[static_cast<std::size_t>(i)];
      for (std::size_t d = 0; d < point.size(); ++d) {
        const double x = (static_cast<double>(point[d]) - polynomial.centre[d]) / polynomial.scale[d];
        for (int e = 0; e < polynomial.monomials[static_cast<std::size_t>(j)][d]; ++e) {
          product *= x;
        }
      }
      matrix(i, j) = product;
    }
  }
  return matrix;
}

FitError errors(const Eigen::VectorXd& residuals, Eigen::Index rank) {
  std::vector<double> sorted(static_cast<std::size_t>(residuals.size()));
  Eigen::Map<Eigen::VectorXd>(sorted.data(), residuals.size()) = residuals.cwiseAbs();
  std::sort(sorted.begin(), sorted.end());
  FitError error;
  error.maximum = sorted.back();
  error.mean = residuals.cwiseAbs().mean();
  error.median = median(sorted);
  const Eigen::Index freedom = residuals.size() - rank;
  error.deviation = freedom > 0 ? std::sqrt(residuals.squaredNorm() / static_cast<double>(freedom)) : 1;
  return error;
}

}  // namespace

Fit fit_relative(std::span<const Monomial> monomials, const Box& box, std::span<const Sizes> points, std::span<const Seconds> seconds) {
  check(points, seconds);
  Fit fit;
  fit.polynomial = centred(distinguishable(monomials, points), box);
  const Eigen::MatrixXd matrix = design_matrix(fit.polynomial, points, seconds);
  const Eigen::VectorXd lengths = matrix.colwise().norm().cwiseMax(std::numeric_limits<double>::min());
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(matrix * lengths.cwiseInverse().asDiagonal());
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(matrix.rows());
  const Eigen::VectorXd coefficients = qr.solve(ones).cwiseQuotient(lengths);
  fit.polynomial.coefficients.assign(coefficients.data(), coefficients.data() + coefficients.size());
  fit.error = errors(matrix * coefficients - ones, qr.rank());
  return fit;
}

}  // namespace flopcast::model
