#include "flopcast/model/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flopcast/support/error.hpp"

namespace flopcast::model {
namespace {

using Points = GaussianProcess::Points;

struct Data {
  Points points;
  Eigen::VectorXd values, noise;
};

Data sine(Eigen::Index count, double deviation, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Data data{Points(count, 1), Eigen::VectorXd(count), Eigen::VectorXd::Constant(count, deviation * deviation)};
  for (Eigen::Index i = 0; i < count; ++i) {
    data.points(i, 0) = 6.0 * static_cast<double>(i) / static_cast<double>(count - 1);
    data.values[i] = std::sin(data.points(i, 0)) + deviation * normal(random);
  }
  return data;
}

ProcessParameters start() { return {.mean = 0, .amplitude = 0.5, .nugget = 0.01, .lengths = {1.0}}; }

Eigen::RowVectorXd at(double x) { return Eigen::RowVectorXd::Constant(1, x); }

TEST(GaussianProcess, InterpolatesBetweenObservations) {
  const Data data = sine(25, 1e-3, 1);
  const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.noise, {0}, start());
  for (double x = 0.1; x < 6; x += 0.37) {
    EXPECT_NEAR(process.predict(at(x)).mean, std::sin(x), 0.01) << x;
    EXPECT_NEAR(process.mean(&x), process.predict(at(x)).mean, 1e-12);
  }
}

TEST(GaussianProcess, IsUncertainFarAway) {
  const Data data = sine(25, 1e-3, 1);
  const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.noise, {0}, start());
  EXPECT_LT(std::sqrt(process.predict(at(3)).variance), 0.05);
  EXPECT_GT(std::sqrt(process.predict(at(20)).variance), 0.5 * process.parameters().amplitude);
  EXPECT_NEAR(process.predict(at(50)).mean, process.parameters().mean, 1e-3);
}

TEST(GaussianProcess, IntervalsCoverAsOftenAsPromised) {
  int covered = 0;
  int points = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Data data = sine(20, 0.05, seed);
    const GaussianProcess process = GaussianProcess::fit(data.points, data.values, data.noise, {0}, start());
    for (double x = 0.2; x < 6; x += 0.5) {
      const GaussianProcess::Posterior prediction = process.predict(at(x));
      covered += std::fabs(prediction.mean - std::sin(x)) < 1.96 * std::sqrt(prediction.variance) ? 1 : 0;
      ++points;
    }
  }
  EXPECT_GT(covered, 0.88 * points);
}

TEST(GaussianProcess, CovarianceOfSumsAgreesWithItsParts) {
  const Data data = sine(12, 0.02, 3);
  const GaussianProcess process = GaussianProcess::condition(data.points, data.values, data.noise, {0}, start());
  Points points(3, 1);
  points << 0.3, 2.2, 7.5;
  const double nugget = process.parameters().nugget;
  const Eigen::MatrixXd own = nugget * nugget * Eigen::MatrixXd::Identity(3, 3);  // nuggets of unobserved places
  const Eigen::MatrixXd covariance = process.smooth_covariance(points) + own;
  Eigen::VectorXd weights(points.rows());
  weights << 2.0, -1.0, 0.5;
  double expected = 0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index j = 0; j < points.rows(); ++j) {
      expected += weights[i] * covariance(i, j) * weights[j];
    }
  }
  const GaussianProcess::WeightedSum sum = process.weighted_sum(points, weights);
  EXPECT_NEAR(process.covariance(sum, sum), expected, 1e-10);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(process.predict(points.row(i)).variance, covariance(i, i), 1e-10);
  }
}

TEST(GaussianProcess, PriorIsThePosteriorWithoutObservations) {
  Points points(2, 1);
  points << 0, 1;
  const Eigen::MatrixXd covariance = GaussianProcess::prior_smooth_covariance(points, {0}, start());
  EXPECT_DOUBLE_EQ(covariance(0, 0), 0.25) << "squared amplitude, no nugget";
  const double r = std::sqrt(5.0);
  EXPECT_NEAR(covariance(0, 1), 0.25 * (1 + r + 5.0 / 3) * std::exp(-r), 1e-12);
}

TEST(GaussianProcess, LearnsAPlacesOwnOffsetByObservingIt) {
  Points points(1, 1);
  points << 1.0;
  ProcessParameters parameters{.mean = 0, .amplitude = 0.01, .nugget = 0.3, .lengths = {1.0}};
  const GaussianProcess process =
      GaussianProcess::condition(points, Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Constant(1, 1e-6), {0}, parameters);
  EXPECT_NEAR(process.predict(at(1.0)).mean, 0.5, 1e-3);
  EXPECT_LT(process.predict(at(1.0)).variance, 1e-5);
  EXPECT_GT(process.predict(at(1.001)).variance, 0.08) << "the neighbouring place has its own offset";
}

TEST(GaussianProcess, LearnsThatDeviationsCalmWithWork) {
  // One coordinate and the logarithm of the work; deviations of 8 % at little work, and of 1 % at e^4 times that work.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  const Eigen::Index count = 120;
  Points points(count, 2);
  Eigen::VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double x = 6.0 * static_cast<double>(i) / count;
    const double work = i % 2 == 0 ? 0 : 4;
    points.row(i) << x, work;
    values[i] = std::sin(x) + (work > 0 ? 0.01 : 0.08) * normal(random);
  }
  ProcessParameters parameters = start();
  parameters.nugget_decay = 0.15;
  const GaussianProcess process = GaussianProcess::fit(points, values, Eigen::VectorXd::Constant(count, 1e-6), {0, work_group}, parameters);
  const auto nugget = [&](double work) {
    const double place[] = {0, work};
    return GaussianProcess::nugget(place, process.groups(), process.parameters());
  };
  EXPECT_NEAR(nugget(0), 0.08, 0.025);
  EXPECT_NEAR(nugget(4), 0.01, 0.006);
  Eigen::RowVectorXd quiet(2), rough(2);
  quiet << 3.01, 4;
  rough << 3.01, 0;
  EXPECT_LT(process.predict(quiet).variance, process.predict(rough).variance / 4);
  EXPECT_NEAR(process.predict(quiet).mean, process.predict(rough).mean, 1e-12) << "work doesn't distinguish places";
}

TEST(GaussianProcess, CoordinatesOfOneGroupShareALength) {
  Points points(2, 2);
  points << 0, 0, 1, 2;
  ProcessParameters parameters = start();
  parameters.lengths = {4.0};
  const Eigen::MatrixXd shared = GaussianProcess::prior_smooth_covariance(points, {0, 0}, parameters);
  const double r = std::sqrt(5.0 * 5.0) / 4;
  EXPECT_NEAR(shared(0, 1), 0.25 * (1 + r + r * r / 3) * std::exp(-r), 1e-12);
}

TEST(GaussianProcess, WhatAliasingAddsIsKnownWhereItWasObservedOnly) {
  // The function is 0 without aliasing, and 0.6 where the second coordinate has degree 2.
  Points points(8, 2);
  Eigen::VectorXd values(8);
  for (Eigen::Index i = 0; i < 8; ++i) {
    points.row(i) << static_cast<double>(i % 4), i < 4 ? 0 : 2;
    values[i] = i < 4 ? 0 : 0.6;
  }
  const ProcessParameters parameters{.mean = 0, .amplitude = 0.2, .nugget = 0.01, .aliasing = 0.3, .lengths = {1.5}};
  const auto condition = [&](Eigen::Index count) {
    return GaussianProcess::condition(points.topRows(count), values.head(count), Eigen::VectorXd::Constant(count, 1e-6),
                                      {0, aliasing_group}, parameters);
  };
  const auto predict = [](const GaussianProcess& process, double degree) {
    Eigen::RowVectorXd place(2);
    place << 1.5, degree;
    return process.predict(place);
  };
  const GaussianProcess without = condition(4);
  EXPECT_LT(std::sqrt(predict(without, 0).variance), 0.05);
  EXPECT_GT(std::sqrt(predict(without, 2).variance), 0.29);
  EXPECT_NEAR(predict(without, 2).mean, predict(without, 0).mean, 1e-12);
  const GaussianProcess with = condition(8);
  EXPECT_NEAR(predict(with, 0).mean, 0, 0.05);
  EXPECT_NEAR(predict(with, 2).mean, 0.6, 0.05);
  EXPECT_LT(std::sqrt(predict(with, 2).variance), 0.1) << "0.36 before";
  EXPECT_GT(predict(with, 3).variance, predict(with, 2).variance);
  EXPECT_GT(predict(with, 7).variance, predict(with, 3).variance) << "the further away the degree, the less is known";
  const Eigen::MatrixXd prior = GaussianProcess::prior_smooth_covariance(points.bottomRows(1), {0, aliasing_group}, parameters);
  EXPECT_DOUBLE_EQ(prior(0, 0), 0.2 * 0.2 + 0.3 * 0.3);
}

/// Observations of a trend and a ripple over one coordinate, each in its session and with the session's offset.
GaussianProcess of_sessions(const std::vector<std::pair<double, double>>& sessions) {
  static constexpr Eigen::Index per_session = 30;
  const auto count = per_session * static_cast<Eigen::Index>(sessions.size());
  Points points(count, 2);
  Eigen::VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& [session, offset] = sessions[static_cast<std::size_t>(i / per_session)];
    const double x = 0.25 * static_cast<double>(i % per_session);
    points.row(i) << x, session;
    values[i] = 0.3 * x + 0.05 * std::sin(5 * x) + offset;
  }
  ProcessParameters start;
  start.lengths = {1};
  start.session = 0.03;
  return GaussianProcess::fit(points, values, Eigen::VectorXd::Constant(count, 1e-5), {0, session_group}, start);
}

TEST(GaussianProcess, TakesNoTrendForADeviationOfSessions) {
  EXPECT_EQ(of_sessions({{10, 0}}).parameters().session, 0.03);
  EXPECT_GT(of_sessions({{10, 0}, {20, 0.3}, {30, -0.2}, {40, 0.1}}).parameters().session, 0.06);
}

TEST(GaussianProcess, LearnsWhatAliasingAddsFromPlacesWithAndWithout) {
  const auto learnt = [](double other_degree) {
    Points points(40, 2);
    Eigen::VectorXd values(40);
    for (Eigen::Index i = 0; i < 40; ++i) {
      const bool is_other = i % 2 == 1;
      points.row(i) << 0.2 * static_cast<double>(i), is_other ? other_degree : 1;
      values[i] = 0.3 * std::sin(points(i, 0)) + (is_other ? 0 : 0.9 + 0.4 * std::cos(points(i, 0)));
    }
    const ProcessParameters start{.amplitude = 0.3, .nugget = 0.01, .aliasing = 0.3, .lengths = {1}};
    return GaussianProcess::fit(points, values, Eigen::VectorXd::Constant(40, 1e-5), {0, aliasing_group}, start).parameters().aliasing;
  };
  EXPECT_GT(learnt(0), 0.4);
  EXPECT_EQ(learnt(1), 0.3) << "all are aliased alike";
}

TEST(GaussianProcess, RefusesMismatchedInput) {
  EXPECT_THROW(GaussianProcess::condition(Points(2, 1), Eigen::VectorXd(3), Eigen::VectorXd(2), {0}, start()), Error);
  EXPECT_THROW(GaussianProcess::condition(Points(0, 1), Eigen::VectorXd(0), Eigen::VectorXd(0), {0}, start()), Error);
}

}  // namespace
}  // namespace flopcast::model
