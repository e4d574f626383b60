#include "flopcast/program/growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace flopcast::program {
namespace {

using Points = std::span<const GrowthPoint>;

constexpr int max_denominator = 512;  // block sizes are rarely larger

bool is_whole(double number) { return std::fabs(number - std::round(number)) < 1e-6 * std::max(1.0, std::fabs(number) * 1e-6); }

bool are_equal(double a, double b) { return std::fabs(a - b) < 1e-3; }

/// Returns the multiple of a power as text: "n/2", "3 n^2", "0.0017 n". Powers are those of `power_text`.
std::string term(double factor, const std::string& power_text) {
  for (int denominator = 1; denominator <= max_denominator; ++denominator) {
    if (is_whole(factor * denominator)) {
      const auto numerator = static_cast<std::int64_t>(std::round(factor * denominator));
      const std::string multiple = numerator == 1    ? power_text
                                   : numerator == -1 ? "-" + power_text
                                                     : fmt::format("{} {}", numerator, power_text);
      return denominator == 1 ? multiple : fmt::format("{}/{}", multiple, denominator);
    }
  }
  return fmt::format("{:.3g} {}", factor, power_text);
}

std::string with_constant(const std::string& text, double constant) {
  return are_equal(constant, 0) ? text : fmt::format("{} {} {:.6g}", text, constant < 0 ? "-" : "+", std::fabs(constant));
}

std::string power_text(int power) { return power == 1 ? "n" : fmt::format("n^{}", power); }

Growth exact(std::string formula, double value) { return {std::move(formula), value, {value, value}, 0}; }

/// Returns a constant plus a multiple of a power of n if that goes through all points. The slope of a line has a small denominator.
std::optional<Growth> multiple_of_power(Points points, double parameter, int power) {
  static constexpr int smallest_block = 16;  // rounded_line() finds others
  const auto x = [power](double n) { return std::pow(n, power); };
  const double factor = (points.back().value - points.front().value) / (x(points.back().parameter) - x(points.front().parameter));
  const double constant = points.front().value - factor * x(points.front().parameter);
  bool is_simple = false;
  for (int block = 1; block <= smallest_block; ++block) {
    is_simple |= is_whole(factor * block);
  }
  if (!is_simple || !std::all_of(points.begin(), points.end(),
                                 [&](const GrowthPoint& p) { return are_equal(p.value, factor * x(p.parameter) + constant); })) {
    return std::nullopt;
  }
  return exact(with_constant(term(factor, power_text(power)), constant), std::round(factor * x(parameter) + constant));
}

/// Returns the rounded straight line through all points, with the roundest denominator of those that are possible.
std::optional<Growth> rounded_line(Points points, double parameter) {
  const double slope = (points.back().value - points.front().value) / (points.back().parameter - points.front().parameter);
  std::optional<Growth> best;
  std::tuple<std::int64_t, int, int> best_rank;
  Interval all{std::numeric_limits<double>::infinity(), 0};
  for (int b = 1; b <= max_denominator; ++b) {
    const auto a = static_cast<std::int64_t>(std::round(slope * b));
    for (const bool up : {true, false}) {
      const auto rounded = [&](double n) {
        return up ? std::ceil(n * static_cast<double>(a) / b) : std::floor(n * static_cast<double>(a) / b);
      };
      const double constant = points.front().value - rounded(points.front().parameter);
      if (a <= 0 || std::gcd(a, b) != 1 ||
          !std::all_of(points.begin(), points.end(), [&](const GrowthPoint& p) { return p.value == rounded(p.parameter) + constant; })) {
        continue;
      }
      const double value = rounded(parameter) + constant;
      all = {std::min(all.low, value), std::max(all.high, value)};
      const std::tuple rank(a, -std::countr_zero(static_cast<unsigned>(b)), b);
      if (!best || rank < best_rank) {
        best = exact(with_constant(fmt::format("{}({})", up ? "ceil" : "floor", term(static_cast<double>(a) / b, "n")), constant), value);
        best_rank = rank;
      }
    }
  }
  if (best) {
    best->interval = all;
  }
  return best;
}

/// Returns the quadratic polynomial through all points if it counts something among whole blocks of n: its factors by the number of blocks are
/// sixths. Its constant is at most half of the smallest number, and the numbers don't fall.
std::optional<Growth> quadratic(Points points, double parameter) {
  static constexpr double fewest_blocks = 8, denominator = 6;
  const GrowthPoint &p = points[0], &q = points[points.size() / 2], &r = points.back();
  const auto slope = [](const GrowthPoint& a, const GrowthPoint& b) { return (b.value - a.value) / (b.parameter - a.parameter); };
  const double square = (slope(q, r) - slope(p, q)) / (r.parameter - p.parameter);
  const double linear = slope(p, q) - square * (p.parameter + q.parameter);
  const auto value = [&](double n) { return p.value + (n - p.parameter) * (linear + square * (n + p.parameter)); };
  const bool falls = q.value < p.value || r.value < q.value;
  if (falls || 2 * std::fabs(value(0)) > p.value ||
      !std::all_of(points.begin(), points.end(), [&](const GrowthPoint& one) { return are_equal(one.value, value(one.parameter)); })) {
    return std::nullopt;
  }
  for (double block = 1; block * fewest_blocks <= p.parameter; ++block) {
    if (is_whole(denominator * square * block * block) && is_whole(denominator * linear * block)) {
      const std::string n = block == 1 ? "n" : fmt::format("(n/{})", block);
      std::string second = term(linear * block, n);
      second = second.starts_with('-') ? " - " + second.substr(1) : " + " + second;
      return exact(with_constant(term(square * block * block, n + "^2") + second, value(0)), std::round(value(parameter)));
    }
  }
  return std::nullopt;
}

/// A function of n by which a quantity may grow.
struct GrowthForm {
  const char* text;
  double power;  ///< a bound
  double (*function)(double n);
};
constexpr GrowthForm forms[] = {{"", 0, [](double) { return 0.0; }},
                                {"n", 1, [](double n) { return n; }},
                                {"n^2", 2, [](double n) { return n * n; }},
                                {"n^3", 3, [](double n) { return n * n * n; }},
                                {"sqrt(n)", 0.5, [](double n) { return std::sqrt(n); }},
                                {"log2(n)", 0.5, [](double n) { return std::log2(n); }},
                                {"1/n", 0, [](double n) { return 1 / n; }}};

std::string smooth_text(const TwoParts& fit, const GrowthForm& form) {
  if (fit.second <= 0) {
    return fmt::format("{:.3g}", fit.first);
  }
  const std::string second = fmt::format("{:.3g} {}", fit.second, form.text);
  return fit.first == 0 ? second : fmt::format("{} {} {:.3g}", second, fit.first < 0 ? "-" : "+", std::fabs(fit.first));
}

}  // namespace

std::optional<Growth> exact_growth(std::span<const GrowthPoint> points, double parameter) {
  static constexpr double convincing = 8;  // smaller differences lie on some line by chance
  const double first = points.front().value;
  if (std::all_of(points.begin(), points.end(), [&](const GrowthPoint& p) { return p.value == first; })) {
    return exact(fmt::format("{}", first), first);
  }
  if (std::fabs(points.back().value - first) < convincing) {
    return std::nullopt;
  }
  for (const auto& find :
       {+[](Points all, double n) { return multiple_of_power(all, n, 1); }, +[](Points all, double n) { return rounded_line(all, n); },
        +[](Points all, double n) { return multiple_of_power(all, n, 2); },
        +[](Points all, double n) { return multiple_of_power(all, n, 3); }, +[](Points all, double n) { return quadratic(all, n); }}) {
    if (std::optional<Growth> found = find(points, parameter); found && found->value >= 0) {
      return found;
    }
  }
  return std::nullopt;
}

TwoParts fit_parts(std::span<const double> first, std::span<const double> second, std::span<const double> values, double weight,
                   bool signed_first) {
  double aa = 0, ab = 0, bb = 0, av = 0, bv = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double w = std::pow(values[i], -2 * weight);
    aa += w * first[i] * first[i];
    ab += w * first[i] * second[i];
    bb += w * second[i] * second[i];
    av += w * first[i] * values[i];
    bv += w * second[i] * values[i];
  }
  const double determinant = aa * bb - ab * ab;
  TwoParts fit;
  if (determinant > 1e-9 * aa * bb) {
    fit = {(bb * av - ab * bv) / determinant, (aa * bv - ab * av) / determinant, 0};
  }
  if (determinant <= 1e-9 * aa * bb || fit.second < 0 || (fit.first < 0 && !signed_first)) {  // one column alone
    const bool takes_second = aa <= 0 || (bb > 0 && fit.second >= 0 && bv * bv / bb > av * av / aa);
    fit = {takes_second ? 0 : av / aa, takes_second ? bv / bb : 0, 0};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    fit.misfit = std::max(fit.misfit, std::fabs((fit.first * first[i] + fit.second * second[i]) / values[i] - 1));
  }
  return fit;
}

Growth smooth_growth(std::span<const GrowthPoint> points, double parameter, double tolerance, Measured measured) {
  const double preference = measured == Measured::size ? 0.5 : 0.02;  // of the tolerance, by which an earlier form is preferred
  static constexpr double nearly = 1.5;
  const double largest =
      std::max_element(points.begin(), points.end(), [](const GrowthPoint& a, const GrowthPoint& b) { return a.value < b.value; })->value;
  if (largest <= 0) {
    return exact("0", 0);
  }
  std::vector<double> values;
  for (const GrowthPoint& point : points) {
    values.push_back(std::max(point.value, 1e-6 * largest));
  }
  const std::vector<double> ones(points.size(), 1);
  std::vector<Growth> all;
  for (const GrowthForm& form : forms) {
    if (measured == Measured::size && form.power > 2) {
      continue;
    }
    std::vector<double> column;
    for (const GrowthPoint& point : points) {
      column.push_back(form.function(point.parameter));
    }
    const TwoParts fit = fit_parts(ones, column, values, 1, measured == Measured::size);
    const double value = std::max(0.0, fit.first + fit.second * form.function(parameter));
    all.push_back({smooth_text(fit, form), value, {value, value}, fit.misfit});
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    best = all[i].misfit + static_cast<double>(i - best) * preference * tolerance < all[best].misfit ? i : best;
  }
  Growth growth = all[best];
  for (const Growth& other : all) {
    if (other.misfit <= std::max(tolerance, nearly * growth.misfit)) {
      growth.interval = {std::min(growth.interval.low, other.value), std::max(growth.interval.high, other.value)};
    }
  }
  return growth;
}

}  // namespace flopcast::program
