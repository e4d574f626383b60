#include "flopcast/core/statistics.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace flopcast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double sorted_quantile(std::span<const double> values, double q) {
  if (values.empty()) {
    return not_a_number;
  }
  const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Order statistics l and n+1-l enclose the median unless fewer than l values lie on one side of it: 1 - 2 P(Binomial(n, 1/2) < l).
/// Takes the largest l that keeps the confidence.
Interval sorted_median_interval(std::span<const double> values, double confidence) {
  if (values.empty()) {
    return {not_a_number, not_a_number};
  }
  const std::size_t n = values.size();
  const double tail_allowed = (1 - confidence) / 2;
  double log_probability = -static_cast<double>(n) * std::log(2.0);  // log of the probability of exactly `outside` values below the median
  double tail = std::exp(log_probability);
  std::size_t outside = 0;
  while (2 * (outside + 1) < n && tail <= tail_allowed) {
    log_probability += std::log(static_cast<double>(n - outside) / static_cast<double>(outside + 1));
    const double wider_tail = tail + std::exp(log_probability);
    if (wider_tail > tail_allowed) {
      break;
    }
    tail = wider_tail;
    ++outside;
  }
  return {values[outside], values[n - 1 - outside]};
}

/// Returns the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz's method; converges quickly for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  constexpr int max_terms = 100000;
  const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double numerator = 1;
  double denominator = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = denominator;
  const auto multiply_by_term = [&](double coefficient) {
    denominator = 1 / away_from_zero(1 + coefficient * denominator);
    numerator = away_from_zero(1 + coefficient / numerator);
    fraction *= numerator * denominator;
  };
  for (int i = 1; i < max_terms; ++i) {
    const double m = i;
    multiply_by_term(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double before = fraction;
    multiply_by_term(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::fabs(fraction / before - 1) < 1e-15) {
      break;
    }
  }
  return fraction;
}

/// Returns the regularised incomplete beta function I_x(a, b), 0 < x < 1. `complement` is 1 - x, passed separately because it may be tiny.
double incomplete_beta(double x, double complement, double a, double b) {
  const double log_scale = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(complement);
  if (x < (a + 1) / (a + b + 2)) {
    return std::exp(log_scale) * beta_fraction(x, a, b) / a;
  }
  return 1 - std::exp(log_scale) * beta_fraction(complement, b, a) / b;
}

/// Returns P(T > t) for t > 0 (Abramowitz and Stegun 26.7.1).
double student_t_tail(double t, double degrees) {
  const double sum = degrees + t * t;
  return incomplete_beta(degrees / sum, t * t / sum, degrees / 2, 0.5) / 2;
}

double student_t_density(double t, double degrees) {
  const double log_scale = std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) - std::log(degrees * M_PI) / 2;
  return std::exp(log_scale - (degrees + 1) / 2 * std::log1p(t * t / degrees));
}

double normal_tail(double x) { return std::erfc(x / M_SQRT2) / 2; }
double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }

/// Solves tail(t) = target by Newton's method on log(tail) over log(t), starting at a `t` with tail(t) <= target. The function is concave
/// and decreasing, so that the iterates decrease towards the solution from above.
template <class Tail, class Density>
double invert_tail(Tail tail, Density density, double target, double t) {
  constexpr int max_steps = 200;
  for (int i = 0; i < max_steps; ++i) {
    const double probability = tail(t);
    const double slope = -t * density(t) / probability;
    const double step = (std::log(target) - std::log(probability)) / slope;
    t *= std::exp(step);
    if (std::fabs(step) < 1e-14) {
      break;
    }
  }
  return t;
}

}  // namespace

double quantile(std::span<const double> values, double q) { return sorted_quantile(sorted(values), q); }

double median(std::span<const double> values) { return quantile(values, 0.5); }

Interval median_interval(std::span<const double> values, double confidence) { return sorted_median_interval(sorted(values), confidence); }

void Welford::merge(const Welford& other) noexcept {
  if (other.count == 0) {
    return;
  }
  const double mine = static_cast<double>(count);
  const double theirs = static_cast<double>(other.count);
  const double difference = other.mean - mean;
  count += other.count;
  mean += difference * theirs / (mine + theirs);
  squares += other.squares + difference * difference * mine * theirs / (mine + theirs);
}

Welford Welford::without(const Welford& part) const noexcept {
  if (count <= part.count) {
    return {};
  }
  const double all = static_cast<double>(count);
  const double mine = static_cast<double>(part.count);
  Welford rest;
  rest.count = count - part.count;
  rest.mean = (all * mean - mine * part.mean) / (all - mine);
  const double difference = part.mean - rest.mean;
  rest.squares = std::max(0.0, squares - part.squares - difference * difference * mine * (all - mine) / all);
  return rest;
}

Interval Welford::mean_interval(double confidence) const {
  if (count < 2) {
    return {-infinity, infinity};
  }
  const auto n = static_cast<double>(count);
  const double margin = student_t_quantile((1 + confidence) / 2, n - 1) * std::sqrt(variance() / n);
  return {mean - margin, mean + margin};
}

double normal_quantile(double probability) {
  assert(probability > 0 && probability < 1);
  if (probability == 0.5) {
    return 0;
  }
  const double target = std::min(probability, 1 - probability);
  const double start = std::sqrt(-2 * std::log(target));  // tail(x) < exp(-x*x/2) / 2
  const double x = invert_tail(normal_tail, normal_density, target, start);
  return probability < 0.5 ? -x : x;
}

double normal_probability(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double quantile_of_maximum(std::span<const Normal> variables, double probability) {
  if (variables.empty()) {
    return -infinity;
  }
  // The quantile lies between the largest quantile of one variable and that by Bonferroni's inequality.
  const auto largest_quantile = [&](double each) {
    double largest = -infinity;
    for (const Normal& variable : variables) {
      largest = std::max(largest, variable.mean + normal_quantile(each) * variable.deviation);
    }
    return largest;
  };
  double low = largest_quantile(probability);
  double high = largest_quantile(1 - (1 - probability) / static_cast<double>(variables.size()));
  // Variable i is mean + deviation (z + z_i) / sqrt(2) with independent z and z_i. Given z, the variables are independent. The trapezoidal
  // rule over z is exact to rounding for such integrands.
  const auto probability_below = [&](double x) {
    constexpr int steps = 12;  // on each side
    constexpr double step = 0.5;
    double sum = 0;
    for (int i = -steps; i <= steps; ++i) {
      const double z = i * step;
      double product = step * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
      for (const Normal& variable : variables) {
        const double standard =
            variable.deviation > 0 ? (x - variable.mean) / variable.deviation : std::copysign(infinity, x - variable.mean);
        product *= normal_probability(std::sqrt(2.0) * standard - z);
      }
      sum += product;
    }
    return sum;
  };
  constexpr double precision = 1e-4;  // relative to the width of the bounds
  const double enough = precision * (high - low);
  while (high - low > enough) {
    const double middle = (low + high) / 2;
    (probability_below(middle) < probability ? low : high) = middle;
  }
  return high;
}

double student_t_quantile(double probability, double degrees) {
  assert(probability > 0 && probability < 1 && degrees > 0);
  if (probability == 0.5) {
    return 0;
  }
  const double target = std::min(probability, 1 - probability);
  const auto tail = [degrees](double t) { return student_t_tail(t, degrees); };
  const auto density = [degrees](double t) { return student_t_density(t, degrees); };
  double start = 1;
  while (tail(start) > target) {
    start *= 2;
  }
  const double t = invert_tail(tail, density, target, start);
  return probability < 0.5 ? -t : t;
}

Summary summarise(std::span<const double> values) {
  const std::vector<double> ordered = sorted(values);
  Welford moments;
  for (const double value : values) {
    moments.add(value);
  }
  Summary summary;
  summary.count = moments.count;
  summary.minimum = sorted_quantile(ordered, 0);
  summary.first_quartile = sorted_quantile(ordered, 0.25);
  summary.median = sorted_quantile(ordered, 0.5);
  summary.third_quartile = sorted_quantile(ordered, 0.75);
  summary.maximum = sorted_quantile(ordered, 1);
  summary.mean = ordered.empty() ? not_a_number : moments.mean;
  summary.standard_deviation = std::sqrt(moments.variance());
  summary.median_interval = sorted_median_interval(ordered, 0.95);
  summary.mean_interval = moments.mean_interval(0.99);
  return summary;
}

}  // namespace flopcast
