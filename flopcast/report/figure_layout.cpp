#include "flopcast/report/figure_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "flopcast/report/gnuplot.hpp"

namespace flopcast::report {
namespace {

constexpr double left_margin = 62, plot_height = 226;

bool has_place(const FigureAxis& axis, double value) { return std::isfinite(value) && (!axis.logarithmic || value > 0); }

/// Returns the range of values with some space around; of an axis without values, 0 to 1 or 1 to 10.
Interval widened(const FigureAxis& axis, double low, double high) {
  constexpr double space = 0.03;
  if (low > high) {
    return axis.logarithmic ? Interval{1, 10} : Interval{0, 1};
  }
  if (axis.logarithmic) {
    const double factor = low == high ? 2 : std::pow(high / low, space);
    return {low / factor, high * factor};
  }
  const double more = low == high ? std::max(std::abs(low) / 2, 0.5) : space * (high - low);
  return {low >= 0 ? std::max(0.0, low - more) : low - more, high + more};
}

/// Returns "250", "1e5" and "2.5e-6" as people write them: 250, 10⁵, 2.5×10⁻⁶.
std::string tick_text(double value) {
  if (value == 0 || (std::abs(value) < 1e5 && std::abs(value) >= 1e-3)) {
    return fmt::format("{:.6g}", value);
  }
  static constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};  // NOLINT(modernize-avoid-c-arrays)
  const std::string text = fmt::format("{:.5e}", value);
  const std::size_t exponent = text.find('e');
  std::string mantissa = fmt::format("{:.6g}", std::stod(text.substr(0, exponent)));
  mantissa = mantissa == "1" ? "" : mantissa == "-1" ? "-" : mantissa + "×";
  std::string power = text[exponent + 1] == '-' ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(std::stoi(text.substr(exponent + 1))))) {
    power += raised[digit - '0'];
  }
  return mantissa + "10" + power;
}

/// Returns 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  return power * (step <= power ? 1 : step <= 2 * power ? 2 : step <= 5 * power ? 5 : 10);
}

std::vector<double> level_values(const Interval& range, int wanted) {
  const double step = round_step((range.high - range.low) / wanted);
  std::vector<double> values;
  for (double i = std::ceil(range.low / step - 1e-9); i * step <= range.high + 1e-9 * step; ++i) {
    values.push_back(i * step);
  }
  return values;
}

/// Returns powers of ten, with 2 and 5 times these on an axis of few decades.
std::vector<double> decade_values(const Interval& range, int wanted) {
  const double first = std::floor(std::log10(range.low)), decades = std::log10(range.high) - first;
  const double step = std::max(1.0, std::ceil(decades / wanted));
  std::vector<double> values;
  for (double power = first; power <= std::log10(range.high); power += step) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      if ((factor == 1 || 3 * decades <= wanted + 1) && value >= range.low * (1 - 1e-9) && value <= range.high * (1 + 1e-9)) {
        values.push_back(value);
      }
    }
  }
  return values;
}

}  // namespace

std::vector<PlotPoint> plotted_points(const Figure& figure, const Series& series) {
  assert(series.x.size() == series.y.size() && series.low.size() == series.high.size());
  std::vector<PlotPoint> points;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double y = series.y[i];
    const auto end = [&](const std::vector<double>& ends) { return i < ends.size() && has_place(figure.y, ends[i]) ? ends[i] : y; };
    if (has_place(figure.x, series.x[i]) && has_place(figure.y, y)) {
      points.push_back({series.x[i], y, end(series.low), end(series.high)});
    }
  }
  return points;
}

PlotRanges plot_ranges(const Figure& figure) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Interval x = {infinity, -infinity}, y = x;
  for (const Series& series : figure.series) {
    for (const PlotPoint& point : plotted_points(figure, series)) {
      x = {std::min(x.low, point.x), std::max(x.high, point.x)};
      y = {std::min({y.low, point.y, point.low}), std::max({y.high, point.y, point.high})};
    }
  }
  return {figure.x.range.value_or(widened(figure.x, x.low, x.high)), figure.y.range.value_or(widened(figure.y, y.low, y.high))};
}

std::vector<Tick> ticks_of(const Interval& range, bool logarithmic, int wanted) {
  std::vector<double> values = logarithmic ? decade_values(range, wanted) : level_values(range, wanted);
  if (values.size() < 2) {
    values = level_values(range, wanted);  // less than a decade
  }
  std::vector<Tick> ticks;
  for (const double value : values) {
    ticks.push_back({value, tick_text(value)});
  }
  return ticks;
}

double place_on(const Interval& range, bool logarithmic, double value) {
  return logarithmic ? std::log(value / range.low) / std::log(range.high / range.low) : (value - range.low) / (range.high - range.low);
}

double right_margin(const Figure& figure) {
  double margin = 14;
  for (const Label& label : figure.labels) {
    margin = label.beside ? std::max(margin, leader_length + 2 * label_gap + label_width(label.text)) : margin;
  }
  return margin;
}

double rising_angle(const Figure& figure) {
  assert(figure.x.logarithmic && figure.y.logarithmic && figure.x.range && figure.y.range);
  const double decades_x = std::log10(figure.x.range->high / figure.x.range->low);
  const double decades_y = std::log10(figure.y.range->high / figure.y.range->low);
  const PlotArea area = plot_area(figure);
  return std::atan2(area.height / decades_y, area.width / decades_x) * 180 / std::acos(-1.0);
}

std::vector<SideLabel> labels_beside(const Figure& figure) {
  std::vector<SideLabel> placed;
  for (const Label& label : figure.labels) {
    if (label.beside) {
      assert(figure.y.range);
      const double wanted = plot_height * place_on(*figure.y.range, figure.y.logarithmic, label.y);
      placed.push_back({label, wanted, wanted});
    }
  }
  std::stable_sort(placed.begin(), placed.end(), [](const SideLabel& a, const SideLabel& b) { return a.label.y > b.label.y; });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    placed[i].placed = std::min(placed[i].wanted, placed[i - 1].placed - label_height);
  }
  double lowest = 0;
  for (auto label = placed.rbegin(); label != placed.rend(); ++label) {
    label->placed = std::max(label->placed, lowest);
    lowest = label->placed + label_height;
  }
  return placed;
}

PlotArea plot_area(const Figure& figure) { return {canvas_width - left_margin - right_margin(figure), plot_height}; }

double label_width(const std::string& text) {  // estimated for DejaVu Sans, which is wider than most fonts
  double sum = 0;
  for (const char c : text) {
    const bool narrow = c != '=' && c != '_' && (c == ' ' || (c >= '!' && c <= '/') || c == ':');
    sum += narrow ? 4.4 : c >= 'A' && c <= 'Z' ? 8.2 : c >= '0' && c <= '9' ? 7.2 : 7.1;
  }
  return sum;
}

}  // namespace flopcast::report
