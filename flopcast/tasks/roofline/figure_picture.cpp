#include "flopcast/tasks/roofline/figure_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

using report::Figure;
using report::Label;
using report::Series;
using roofline::Point;

namespace {

using roofline::Point;

/// Returns the routine and its sizes, with flags if asked for; for a program, its command without the directory.
std::string short_name(const Point& point, bool with_flags) {
  if (point.level.empty()) {  // a program, or a call of an unknown place
    const std::size_t end = point.name.find(' ');
    const std::string file = std::filesystem::path(point.name.substr(0, end)).filename();
    if (point.name.find('=') == std::string::npos) {
      return file + (end == std::string::npos ? "" : point.name.substr(end));
    }
  }
  std::istringstream words(point.name);
  std::string word, name;
  words >> name;
  name = std::filesystem::path(name).filename();
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = equals == std::string::npos ? word : word.substr(equals + 1);
    const bool is_detail = key.starts_with("ld") || key.starts_with("inc") || key == "alpha" || key == "beta";
    const bool is_size = value.find_first_not_of("0123456789") == std::string::npos;
    name += !is_detail && (is_size || with_flags) ? ' ' + word : "";
  }
  return name;
}

/// Returns short names of points for a figure, different where their calls differ. Threads and precision are named where they aren't those of
/// the roofs.
std::vector<std::string> point_names(const std::vector<Point>& points, int threads, const std::string& precision) {
  constexpr std::size_t longest = 60;
  std::vector<std::string> names;
  for (const Point& point : points) {
    const std::string brief = short_name(point, false), whole = short_name(point, true);
    const bool is_ambiguous = std::any_of(points.begin(), points.end(), [&](const Point& other) {
      return short_name(other, false) == brief && short_name(other, true) != whole;
    });
    std::string name = is_ambiguous ? whole : brief;
    if (name.size() > longest) {
      name.resize(longest - 3);
      name += "...";
    }
    name += point.threads != threads ? ", " + counted(point.threads, "thread") : "";
    name += point.precision != precision ? ", " + point.precision : "";
    names.push_back(name);
  }
  return names;
}

/// Returns spots next to a rise, those above it first, and of these the ones at the lower end.
std::vector<LabelSpot> spots_along(const LabelLayout& layout, const Rise& rise) {
  constexpr double step = 8, apart = 9.5;  // from the line to the middle of the name
  std::vector<LabelSpot> spots;
  for (const double above : {apart, -apart}) {  // a name below its rise would take the place of the next rise's name
    for (int i = 1; i * step < layout.x(rise.ridge); ++i) {
      spots.push_back(layout.rising_spot(rise, i * step, above));
    }
  }
  return spots;
}

/// Returns spots beside, above and below a point; for a point in the right half, that on the left first.
std::vector<LabelSpot> spots_around(const LabelLayout& layout, const Point& point, const std::string& name) {
  using enum Label::Alignment;
  constexpr double beside = 7, above = 12;
  const double x = layout.x(point.intensity()), y = layout.y(point.flops_rate.median() * giga);
  std::vector<LabelSpot> spots = {level_spot(name, x + beside, y, left, point_color), level_spot(name, x - beside, y, right, point_color)};
  if (x > layout.width() / 2) {
    std::swap(spots[0], spots[1]);
  }
  for (const double higher : {above, -above, 2 * above, -2 * above, 3 * above, -3 * above}) {
    spots.push_back(level_spot(name, x, y + higher, center, point_color));
    spots.push_back(level_spot(name, x + beside, y + higher, left, point_color));
    spots.push_back(level_spot(name, x - beside, y + higher, right, point_color));
  }
  return spots;
}

}  // namespace

FigurePicture::FigurePicture(const roofline::Roofline& roofline, std::string precision)
    : roofline_(roofline), precision_(std::move(precision)) {
  for (const Point& point : roofline.points) {
    if (std::isfinite(point.intensity()) && point.intensity() > 0 && point.flops_rate.median() > 0) {
      points_.push_back(point);
    }
  }
}

Figure FigurePicture::finish() {
  std::string name = roofline_.cpu.substr(0, roofline_.cpu.find(" (family"));  // the whole is too long for a title
  name.erase(name.find_last_not_of(' ') + 1);
  figure_.title = fmt::format("{}, {}, {}", name, counted(roofline_.max_threads(), "thread"), roofline_.date.substr(0, 10));
  set_axes();
  for (const Ceiling& ceiling : ceilings_) {  // first: they decide how wide the plot is
    const std::string rate = format_flop_rate(ceiling.gigaflops / giga);
    figure_.labels.push_back({fmt::format("{} {}", ceiling.name, rate.substr(0, rate.find(' '))), 0, ceiling.gigaflops,
                              Label::Alignment::left, false, true, ceiling.color});
  }
  LabelLayout layout(figure_);
  draw_lines(layout);
  draw_ridges(layout);
  Series points = add_points(layout);
  name_rises(layout);
  name_points(layout);
  if (!points.x.empty()) {
    figure_.series.push_back(std::move(points));  // last: above everything
  }
  figure_.labels.insert(figure_.labels.end(), layout.labels().begin(), layout.labels().end());
  return std::move(figure_);
}

void FigurePicture::set_axes() {
  double least = 1.0 / 64, most = 0, bottom = std::numeric_limits<double>::infinity(), top = 0;
  for (const Rise& rise : rises_) {
    least = std::min(least, rise.ridge / 32);  // room for the name along the rise
  }
  for (const Rise& rise : rises_) {
    most = std::max(most, 10 * rise.ridge);
    bottom = std::min(bottom, rise.gigabytes * least);
  }
  for (const Ceiling& ceiling : ceilings_) {
    top = std::max(top, 6 * ceiling.gigaflops);  // room for three rows of the ridges' intensities
  }
  for (const Point& point : points_) {
    const Interval interval = point.flops_rate.interval();
    least = std::min(least, point.intensity() / 2);
    most = std::max(most, 2 * point.intensity());
    bottom = std::min(bottom, interval.low * giga / 2);
    top = std::max(top, interval.high * giga * 1.5);
  }
  figure_.x = {"operational intensity, flops per byte", true, Interval{least, most}};
  figure_.y = {fmt::format("GFLOP/s, {} precision", precision_), true, Interval{bottom, top}};
}

void FigurePicture::draw_line(LabelLayout& layout, std::vector<double> x, std::vector<double> y, int color, bool dashed) {
  layout.add_line(x[0], y[0], x[1], y[1]);
  figure_.series.push_back({"", std::move(x), std::move(y), {}, {}, Series::Style::line, color, dashed});
}

void FigurePicture::draw_lines(LabelLayout& layout) {
  const double least = figure_.x.range->low, most = figure_.x.range->high;
  for (const Rise& rise : rises_) {
    draw_line(layout, {least, rise.ridge}, {rise.gigabytes * least, rise.gigabytes * rise.ridge}, rise.color, rise.dashed);
    figure_.series.back().name = rise.name;
  }
  for (const Ceiling& ceiling : ceilings_) {
    draw_line(layout, {std::max(ceiling.from, least), most}, {ceiling.gigaflops, ceiling.gigaflops}, ceiling.color, ceiling.dashed);
    figure_.series.back().name = ceiling.name;
  }
}

/// Draws dots at the ends of the solid roofs, with their intensities above where they cover no other text.
void FigurePicture::draw_ridges(LabelLayout& layout) {
  using enum Label::Alignment;
  Series ridges{"", {}, {}, {}, {}, Series::Style::points, ceiling_color};
  for (const Rise& rise : rises_) {
    if (rise.dashed) {
      continue;
    }
    ridges.x.push_back(rise.ridge);
    ridges.y.push_back(rise.ridge * rise.gigabytes);
    layout.add_marker(ridges.x.back(), ridges.y.back());
    const std::string text = fmt::format("{:.3g}", rise.ridge);
    const double x = layout.x(ridges.x.back()), y = layout.y(ridges.y.back());
    std::vector<LabelSpot> spots;
    for (const double above : {13, 27, 41}) {
      spots.push_back(level_spot(text, x, y + above, center, ceiling_color));
      spots.push_back(level_spot(text, x + 4, y + above, right, ceiling_color));
    }
    constexpr double cost_of_text = 10;
    layout.put(spots, cost_of_text - 1);
  }
  ridges.name = "ridges";
  figure_.series.push_back(ridges);
}

Series FigurePicture::add_points(LabelLayout& layout) const {
  Series series{"", {}, {}, {}, {}, Series::Style::points, point_color};
  series.name = "points";
  for (const Point& point : points_) {
    const Interval interval = point.flops_rate.interval();
    const double x = point.intensity(), y = point.flops_rate.median() * giga;
    series.x.push_back(x);
    series.y.push_back(y);
    series.low.push_back(interval.low * giga);
    series.high.push_back(interval.high * giga);
    layout.add_marker(x, y);
    layout.add_line(x, series.low.back(), x, series.high.back());
  }
  return series;
}

/// Places names next to their lines where there is room. The legend has the others.
void FigurePicture::name_rises(LabelLayout& layout) {
  std::vector<std::size_t> longest_first(rises_.size());
  std::iota(longest_first.begin(), longest_first.end(), std::size_t{0});
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [&](std::size_t a, std::size_t b) { return rises_[a].name.size() > rises_[b].name.size(); });
  for (const std::size_t i : longest_first) {
    if (!layout.put(spots_along(layout, rises_[i]), 0)) {
      figure_.series[i].title = rises_[i].name;  // lines of rises come first
    }
  }
}

/// Labels points with their names if they are few and have room, else with numbers.
void FigurePicture::name_points(LabelLayout& layout) {
  constexpr std::size_t few = 3;
  const std::vector<std::string> names = point_names(points_, roofline_.max_threads(), precision_);
  LabelLayout named = layout;
  bool has_room = points_.size() <= few;
  for (std::size_t i = 0; i < points_.size() && has_room; ++i) {
    has_room = named.put(spots_around(named, points_[i], names[i]), 0);
  }
  if (has_room) {
    layout = named;
    return;
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    figure_.notes.push_back(fmt::format("{}  {}", i + 1, names[i]));
    layout.put(spots_around(layout, points_[i], fmt::format("{}", i + 1)));
  }
}

}  // namespace flopcast
