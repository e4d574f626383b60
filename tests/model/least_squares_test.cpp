#include "flopcast/core/kernel_model.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

Box cube(std::size_t dimensions) { return {Sizes(dimensions, 8), Sizes(dimensions, 1024)}; }

/// Returns a time like that of a kernel: nanoseconds of overhead, plus every monomial with its own coefficient.
Seconds polynomial_time(const std::vector<Monomial>& monomials, const Sizes& sizes) {
  double sum = 50e-9;
  for (std::size_t i = 0; i < monomials.size(); ++i) {
    double term = 1e-10 / static_cast<double>(i + 1);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      term *= std::pow(static_cast<double>(sizes[d]), monomials[i][d]);
    }
    sum += term;
  }
  return sum;
}

std::vector<double> coordinates(const Sizes& sizes) { return {sizes.begin(), sizes.end()}; }

TEST(LeastSquares, IsExactForPolynomialsInOneToFourSizes) {
  for (std::size_t dimensions = 1; dimensions <= 4; ++dimensions) {
    const std::vector<Monomial> basis = total_basis(dimensions, 3);
    const std::vector<Sizes> points = grid_points(cube(dimensions), std::vector<int>(dimensions, 5), Grid::gaussian, 8);
    std::vector<Seconds> seconds;
    for (const Sizes& point : points) {
      seconds.push_back(polynomial_time(basis, point));
    }
    const Fit fit = fit_relative(basis, cube(dimensions), points, seconds);
    EXPECT_LT(fit.error.maximum, 1e-10) << dimensions;
    EXPECT_LT(fit.error.deviation, 1e-9) << dimensions;
    const Sizes beside(dimensions, 333);
    const Seconds expected = polynomial_time(basis, beside);
    EXPECT_NEAR(value(fit.polynomial, coordinates(beside)), expected, 1e-9 * expected) << dimensions;
  }
}

TEST(LeastSquares, MinimisesTheRelativeError) {
  // The best constant for the times 1 and 3 minimises (c - 1)^2 + (c/3 - 1)^2: c = (1 + 1/3) / (1 + 1/9) = 1.2.
  const std::vector<Sizes> points = {{8}, {16}};
  const Fit fit = fit_relative(total_basis(1, 0), {{8}, {16}}, points, std::vector<Seconds>{1, 3});
  EXPECT_NEAR(value(fit.polynomial, std::vector<double>{12}), 1.2, 1e-14);
  EXPECT_NEAR(fit.error.maximum, 0.6, 1e-14);
  EXPECT_NEAR(fit.error.mean, 0.4, 1e-14);
  EXPECT_NEAR(fit.error.median, 0.4, 1e-14);
}

TEST(LeastSquares, DeviationCountsDegreesOfFreedom) {
  const std::vector<Sizes> points = {{8}, {16}, {24}};
  const Fit fit = fit_relative(total_basis(1, 0), {{8}, {24}}, points, std::vector<Seconds>{1, 1, 2});
  const double c = (1 + 1 + 0.5) / (1 + 1 + 0.25);
  const double squares = 2 * (c - 1) * (c - 1) + (c / 2 - 1) * (c / 2 - 1);
  EXPECT_NEAR(fit.error.deviation, std::sqrt(squares / 2), 1e-14);
}

TEST(LeastSquares, AFitThroughAllSamplesHasNoErrorEstimate) {
  const std::vector<Sizes> points = {{8}, {16}, {24}, {32}};
  const Fit fit = fit_relative(total_basis(1, 3), {{8}, {32}}, points, std::vector<Seconds>{1, 5, 2, 9});
  EXPECT_LT(fit.error.maximum, 1e-12);
  EXPECT_EQ(fit.error.deviation, 1);
}

TEST(LeastSquares, LeavesOutPowersThatThePointsCannotTellApart) {
  const std::vector<Sizes> points = {{8, 64}, {16, 64}, {24, 64}};
  const Fit fit = fit_relative(total_basis(2, 3), {{8, 64}, {24, 64}}, points, std::vector<Seconds>{1, 2, 3});
  EXPECT_EQ(fit.polynomial.monomials.size(), 3U);
  EXPECT_NEAR(value(fit.polynomial, std::vector<double>{20, 64}), 2.5, 1e-12);
}

TEST(LeastSquares, DependentColumnsDoNoHarm) {
  const std::vector<Sizes> points = {{8, 8}, {16, 16}, {24, 24}, {32, 32}};  // with m = n, m and n can't be distinguished
  const Fit fit = fit_relative(total_basis(2, 1), {{8, 8}, {32, 32}}, points, std::vector<Seconds>{1, 2, 3, 4});
  EXPECT_NEAR(value(fit.polynomial, std::vector<double>{20, 20}), 2.5, 1e-12);
  EXPECT_LT(fit.error.maximum, 1e-12);
}

TEST(LeastSquares, AveragesNoise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.02);
  const std::vector<Monomial> basis = total_basis(2, 2);
  const std::vector<Sizes> points = grid_points(cube(2), {12, 12}, Grid::regular, 8);
  std::vector<Seconds> seconds;
  for (const Sizes& point : points) {
    seconds.push_back(polynomial_time(basis, point) * noise(random));
  }
  const Fit fit = fit_relative(basis, cube(2), points, seconds);
  double worst = 0;
  for (const Sizes& point : points) {
    worst = std::max(worst, std::fabs(value(fit.polynomial, coordinates(point)) / polynomial_time(basis, point) - 1));
  }
  EXPECT_LT(worst, 0.02);
  EXPECT_NEAR(fit.error.deviation, 0.02, 0.003);
}

TEST(LeastSquares, RefusesInvalidTimes) {
  const std::vector<Sizes> points = {{8}, {16}};
  const Box box{{8}, {16}};
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(fit_relative(total_basis(1, 1), box, points, std::vector<Seconds>{1, bad}), Error);
  }
  EXPECT_THROW(fit_relative(total_basis(1, 1), box, points, std::vector<Seconds>{1}), Error);
  EXPECT_THROW(fit_relative(total_basis(1, 1), box, {}, {}), Error);
}

}  // namespace
}  // namespace flopcast::model
