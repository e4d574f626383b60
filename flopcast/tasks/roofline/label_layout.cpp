#include "flopcast/tasks/roofline/label_layout.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace flopcast {

using report::Label;

namespace {

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

bool crosses(const PlotLine& line, const Rectangle& area) {
  const Rectangle around = {std::min(line.x0, line.x1) - 1, std::max(line.x0, line.x1) + 1, std::min(line.y0, line.y1) - 1,
                            std::max(line.y0, line.y1) + 1};
  const auto is_left = [&](double x, double y) { return (line.x1 - line.x0) * (y - line.y0) > (line.y1 - line.y0) * (x - line.x0); };
  const int corners_left = int{is_left(area.left, area.bottom)} + int{is_left(area.left, area.top)} +
                           int{is_left(area.right, area.bottom)} + int{is_left(area.right, area.top)};
  return overlap(around, area) && corners_left % 4 != 0;
}

}  // namespace

LabelSpot level_spot(const std::string& text, double x, double y, Label::Alignment align, int color) {
  const double width = report::label_width(text), half = report::label_height / 2;
  const double left = align == Label::Alignment::left ? x : align == Label::Alignment::right ? x - width : x - width / 2;
  return {{text, x, y, align, false, false, color}, {{left - 3, left + width + 3, y - half, y + half}}};
}

LabelLayout::LabelLayout(const report::Figure& figure)
    : area_(report::plot_area(figure)),
      min_x_(figure.x.range->low),
      min_y_(figure.y.range->low),
      decade_x_(area_.width / std::log10(figure.x.range->high / min_x_)),
      decade_y_(area_.height / std::log10(figure.y.range->high / min_y_)) {}

double LabelLayout::x(double value) const { return decade_x_ * std::log10(value / min_x_); }
double LabelLayout::y(double value) const { return decade_y_ * std::log10(value / min_y_); }
double LabelLayout::x_value(double x) const { return min_x_ * std::pow(10, x / decade_x_); }
double LabelLayout::y_value(double y) const { return min_y_ * std::pow(10, y / decade_y_); }

void LabelLayout::add_line(double x0, double y0, double x1, double y1) { lines_.push_back({x(x0), y(y0), x(x1), y(y1)}); }

void LabelLayout::add_marker(double x_value, double y_value) {
  constexpr double radius = 4;
  taken_.push_back({x(x_value) - radius, x(x_value) + radius, y(y_value) - radius, y(y_value) + radius});
}

LabelSpot LabelLayout::rising_spot(const Rise& rise, double start, double above) const {
  constexpr double half = 4.5;    // of a square, whose corners reach as far as letters
  constexpr double baseline = 1;  // gnuplot writes lower than at the middle
  const double slope = std::hypot(decade_x_, decade_y_), along_x = decade_x_ / slope, along_y = decade_y_ / slope;
  const double foot_y = y(rise.gigabytes * min_x_) + start * decade_y_ / decade_x_;
  const double from_x = start - above * along_y, from_y = foot_y + above * along_x;
  LabelSpot spot{{rise.name, from_x - baseline * along_y, from_y + baseline * along_x, Label::Alignment::left, true, false, rise.color},
                 {}};
  const int squares = static_cast<int>(std::ceil(report::label_width(rise.name) / half));
  for (int square = 0; square < squares; ++square) {
    const double length = half * square;
    const double at_x = from_x + length * along_x, at_y = from_y + length * along_y;
    spot.area.push_back({at_x - half, at_x + half, at_y - half, at_y + half});
  }
  return spot;
}

bool LabelLayout::put(const std::vector<LabelSpot>& spots, double max_cost) {
  std::vector<double> costs;
  std::transform(spots.begin(), spots.end(), std::back_inserter(costs), [&](const LabelSpot& spot) { return cost(spot); });
  const auto least = std::min_element(costs.begin(), costs.end());
  if (least == costs.end() || *least > max_cost) {
    return false;
  }
  const LabelSpot& best = spots[static_cast<std::size_t>(least - costs.begin())];
  taken_.insert(taken_.end(), best.area.begin(), best.area.end());
  labels_.push_back(best.label);
  labels_.back().x = x_value(best.label.x);
  labels_.back().y = y_value(best.label.y);
  return true;
}

double LabelLayout::cost(const LabelSpot& spot) const {
  constexpr double line_cost = 1, text_cost = 10, outside_cost = 1000;
  double sum = 0;
  for (const Rectangle& part : spot.area) {
    const bool outside = part.left < 0 || part.right > area_.width || part.bottom < 0 || part.top > area_.height;
    sum += outside ? outside_cost : 0;
    const auto covered = std::count_if(taken_.begin(), taken_.end(), [&](const Rectangle& taken) { return overlap(taken, part); });
    const auto crossed = std::count_if(lines_.begin(), lines_.end(), [&](const PlotLine& line) { return crosses(line, part); });
    sum += text_cost * static_cast<double>(covered) + line_cost * static_cast<double>(crossed);
  }
  return sum;
}

}  // namespace flopcast
