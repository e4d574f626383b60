#include "flopcast/model/levels.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "flopcast/core/kernel_model.hpp"

namespace flopcast::model {
namespace {

using Footprint = std::function<double(std::span<const std::int64_t>)>;

/// Returns the largest number of values per size among the candidates for sampling points: 1000 in one dimension, 32 in two, 10 in three.
int candidates_per_size(const Box& domain) {
  constexpr double max_candidates = 1000;
  const auto varying =
      std::inner_product(domain.low.begin(), domain.low.end(), domain.high.begin(), 0, std::plus<>(), std::not_equal_to<>());
  return std::max(2, static_cast<int>(std::lround(std::pow(max_candidates, 1.0 / std::max(1, varying)))));
}

std::vector<Sizes> candidates(const Box& domain, std::int64_t min_width) {
  std::vector<int> counts;
  for (std::size_t d = 0; d < domain.dimensions(); ++d) {
    counts.push_back(domain.low[d] == domain.high[d] ? 1 : candidates_per_size(domain));
  }
  return grid_points(domain, counts, Grid::regular, min_width);
}

/// Returns the matrix whose column i holds the coordinates of points[i], mapped from their bounding box to [-1, 1].
Eigen::MatrixXd unit_coordinates(const std::vector<Sizes>& points) {
  Eigen::MatrixXd unit(static_cast<Eigen::Index>(points.front().size()), static_cast<Eigen::Index>(points.size()));
  for (Eigen::Index i = 0; i < unit.cols(); ++i) {
    for (Eigen::Index d = 0; d < unit.rows(); ++d) {
      unit(d, i) = static_cast<double>(points[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)]);
    }
  }
  const Eigen::VectorXd low = unit.rowwise().minCoeff();
  const Eigen::VectorXd half = (0.5 * (unit.rowwise().maxCoeff() - low)).cwiseMax(0.5);
  unit.colwise() -= low;
  return ((half.cwiseInverse().asDiagonal() * unit).array() - 1).matrix();
}

/// Returns the matrix whose row i holds monomials[i] at every point.
Eigen::MatrixXd monomial_values(const std::vector<Monomial>& monomials, const Eigen::MatrixXd& unit) {
  Eigen::MatrixXd values(static_cast<Eigen::Index>(monomials.size()), unit.cols());
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    for (Eigen::Index j = 0; j < values.cols(); ++j) {
      double product = 1;
      for (Eigen::Index d = 0; d < unit.rows(); ++d) {
        product *= std::pow(unit(d, j), monomials[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)]);
      }
      values(i, j) = product;
    }
  }
  return values;
}

/// Returns the indices of the `count` best points: first the pivots of QR, for which the basis is most independent, then repeatedly the
/// point farthest from the chosen ones.
std::vector<Eigen::Index> spread(const std::vector<Sizes>& points, const std::vector<Monomial>& basis, std::size_t count) {
  const Eigen::MatrixXd unit = unit_coordinates(points);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(monomial_values(basis, unit));
  std::vector<Eigen::Index> chosen;
  Eigen::VectorXd distance = Eigen::VectorXd::Constant(unit.cols(), std::numeric_limits<double>::infinity());
  const auto choose = [&](Eigen::Index i) {
    chosen.push_back(i);
    distance = distance.cwiseMin((unit.colwise() - unit.col(i)).colwise().norm().transpose());
  };
  for (Eigen::Index i = 0; i < qr.rank() && chosen.size() < count; ++i) {
    choose(qr.colsPermutation().indices()(i));
  }
  while (chosen.size() < std::min(count, points.size())) {
    Eigen::Index farthest = 0;
    distance.maxCoeff(&farthest);
    choose(farthest);
  }
  return chosen;
}

/// Returns the footprint as a polynomial that a stored model can evaluate; exact if the footprint is a polynomial.
Polynomial footprint_polynomial(const Box& domain, const Footprint& footprint) {
  const std::vector<Monomial> basis = divisors(footprint, domain);
  std::vector<int> counts = degrees(basis, domain.dimensions());
  for (std::size_t d = 0; d < counts.size(); ++d) {
    counts[d] = domain.low[d] == domain.high[d] ? 1 : counts[d] + 2;
  }
  const std::vector<Sizes> points = grid_points(domain, counts, Grid::chebyshev, 1);
  std::vector<double> bytes;
  for (const Sizes& point : points) {
    bytes.push_back(std::max(1.0, footprint(point)));
  }
  return fit_relative(basis, domain, points, bytes).polynomial;
}

}  // namespace

std::vector<MemoryLevel> memory_levels(const Box& domain, const Footprint& footprint, std::span<const std::int64_t> capacities_bytes,
                                       const std::vector<Monomial>& basis, const LevelsOptions& options) {
  check(domain);
  check(options);
  const std::vector<Sizes> all = candidates(domain, options.min_width);
  const std::size_t count = std::max(static_cast<std::size_t>(options.measurements), basis.size() + 1);
  std::vector<MemoryLevel> levels;
  double low = 0;
  for (std::size_t level = 0; level <= capacities_bytes.size(); ++level) {
    const bool last = level == capacities_bytes.size();
    const double high = last ? std::numeric_limits<double>::infinity() : static_cast<double>(capacities_bytes[level]);
    std::vector<Sizes> inside;
    std::copy_if(all.begin(), all.end(), std::back_inserter(inside), [&](const Sizes& point) {
      const double bytes = footprint(point);
      return bytes >= low && bytes < high;
    });
    if (inside.empty()) {
      continue;
    }
    levels.push_back({low, high, {}});
    for (const Eigen::Index i : spread(inside, basis, count)) {
      levels.back().points.push_back(inside[static_cast<std::size_t>(i)]);
    }
    low = high;
  }
  levels.back().bytes_high = std::numeric_limits<double>::infinity();
  return levels;
}

Model model_by_levels(ModelKey key, std::vector<std::string> names, const Box& domain, const Footprint& footprint,
                      std::span<const std::int64_t> capacities_bytes, const std::vector<Monomial>& basis, const LevelsOptions& options,
                      const SampleSource& source) {
  const std::vector<MemoryLevel> levels = memory_levels(domain, footprint, capacities_bytes, basis, options);
  std::vector<Sizes> points;
  for (const MemoryLevel& level : levels) {
    points.insert(points.end(), level.points.begin(), level.points.end());
  }
  Model model;
  const std::optional<MeasuredBatch> measured = source(points);
  if (!measured) {
    model.options.complete = false;
    return model;
  }
  model.key = std::move(key);
  model.generator = "levels";
  model.options.levels = options;
  model.sizes = std::move(names);
  model.domain = {domain};
  model.footprint = footprint_polynomial(domain, footprint);
  model.cost = {static_cast<std::int64_t>(points.size()), measured->spent};
  std::span<const Seconds> seconds = measured->seconds;
  for (const MemoryLevel& level : levels) {
    const std::span<const Seconds> own = seconds.first(level.points.size());
    seconds = seconds.subspan(level.points.size());
    Fit fit = fit_relative(basis, domain, level.points, own);
    model.pieces.push_back({domain, level.bytes_low, level.bytes_high, std::move(fit.polynomial),
                            0.5 * *std::min_element(own.begin(), own.end()), fit.error, static_cast<std::int64_t>(own.size())});
  }
  return model;
}

}  // namespace flopcast::model
