#include "flopcast/tasks/roofline/roofline_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

using report::Figure;
using report::Label;
using report::Series;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Point;
using roofline::Roofline;

constexpr double giga = 1e-9;

/// Numbers of colours; levels of caches have 1, 2, 3 and then 10.
constexpr int memory_color = 4, nontemporal_color = 5, one_thread_color = 6, point_color = 7, ceiling_color = 8, gemm_color = 9;

/// A bandwidth's roof, up to its ridge with a ceiling.
struct Rise {
  std::string name;
  double gigabytes = 0, ridge = 0;
  int color = 0;
  bool dashed = false;
};

struct Ceiling {
  std::string name;
  double gigaflops = 0, from = 0;
  int color = 0;
  bool dashed = true;
};

// Layout, in pixels from the plot's lower left corner.

struct Rectangle {
  double left, right, bottom, top;
};

struct Line {
  double x0, y0, x1, y1;
};

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.left < b.right && b.left < a.right && a.bottom < b.top && b.bottom < a.top;
}

bool crosses(const Line& line, const Rectangle& area) {
  const Rectangle around = {std::min(line.x0, line.x1) - 1, std::max(line.x0, line.x1) + 1, std::min(line.y0, line.y1) - 1,
                            std::max(line.y0, line.y1) + 1};
  const auto is_left = [&](double x, double y) { return (line.x1 - line.x0) * (y - line.y0) > (line.y1 - line.y0) * (x - line.x0); };
  const int corners_left = int{is_left(area.left, area.bottom)} + int{is_left(area.left, area.top)} +
                           int{is_left(area.right, area.bottom)} + int{is_left(area.right, area.top)};
  return overlap(around, area) && corners_left % 4 != 0;
}

/// A text and the room it takes; text that rises takes many small squares.
struct Place {
  Label label;
  std::vector<Rectangle> room;
  std::optional<Line> leader = {};  ///< to a text that is far from what it names
};

Place level_place(const std::string& text, double x, double y, Label::Align align, int color) {
  const double width = report::label_width(text), half = report::label_height / 2;
  const double left = align == Label::Align::left ? x : align == Label::Align::right ? x - width : x - width / 2;
  return {{text, x, y, align, false, false, color}, {{left - 3, left + width + 3, y - half, y + half}}};
}

/// Between a rise and the middle of its name.
constexpr double next_to_line = 9.5;

/// Knows lines, markers and labels of a figure with ranges, and where a further label is in nobody's way.
class Layout {
 public:
  explicit Layout(const Figure& figure)
      : area_(report::plot_area(figure)),
        min_x_(figure.x.range->low),
        min_y_(figure.y.range->low),
        decade_x_(area_.width / std::log10(figure.x.range->high / min_x_)),
        decade_y_(area_.height / std::log10(figure.y.range->high / min_y_)) {}

  [[nodiscard]] double x(double value) const { return decade_x_ * std::log10(value / min_x_); }
  [[nodiscard]] double y(double value) const { return decade_y_ * std::log10(value / min_y_); }
  [[nodiscard]] double width() const { return area_.width; }

  void add_line(double x0, double y0, double x1, double y1) { lines_.push_back({x(x0), y(y0), x(x1), y(y1)}); }

  void add_marker(double at_x, double at_y) {
    constexpr double radius = 4;
    taken_.push_back({x(at_x) - radius, x(at_x) + radius, y(at_y) - radius, y(at_y) + radius});
  }

  /// A text along a rise, `above` its line.
  [[nodiscard]] Place rising_place(const Rise& rise, double start, double above) const {
    constexpr double half = 4.5;    // of a square, whose corners reach as far as letters
    constexpr double baseline = 1;  // gnuplot writes lower than at the middle
    const double slope = std::hypot(decade_x_, decade_y_), along_x = decade_x_ / slope, along_y = decade_y_ / slope;
    const double foot_y = y(rise.gigabytes * min_x_) + start * decade_y_ / decade_x_;
    const double from_x = start - above * along_y, from_y = foot_y + above * along_x;
    Place place{{rise.name, from_x - baseline * along_y, from_y + baseline * along_x, Label::Align::left, true, false, rise.color}, {}};
    if (std::abs(above) > next_to_line) {
      const double share = 1 - 7 / std::abs(above);  // up to the text's edge
      place.leader = Line{start, foot_y, start + share * (from_x - start), foot_y + share * (from_y - foot_y)};
    }
    const int squares = static_cast<int>(std::ceil(report::label_width(rise.name) / half));
    for (int square = 0; square < squares; ++square) {
      const double length = half * square;
      const double at_x = from_x + length * along_x, at_y = from_y + length * along_y;
      place.room.push_back({at_x - half, at_x + half, at_y - half, at_y + half});
    }
    return place;
  }

  /// The first of those that are least in the way, unless even that is worse than `most`: then nothing happens, and false is given back.
  bool put(const std::vector<Place>& places, double most = std::numeric_limits<double>::infinity()) {
    std::vector<double> costs;
    std::transform(places.begin(), places.end(), std::back_inserter(costs), [&](const Place& place) { return cost(place); });
    const auto least = std::min_element(costs.begin(), costs.end());
    if (least == costs.end() || *least > most) {
      return false;
    }
    const Place& best = places[static_cast<std::size_t>(least - costs.begin())];
    taken_.insert(taken_.end(), best.room.begin(), best.room.end());
    labels_.push_back(best.label);
    labels_.back().x = x_value(best.label.x);
    labels_.back().y = y_value(best.label.y);
    if (const std::optional<Line>& leader = best.leader) {
      leaders_.push_back({"",
                          {x_value(leader->x0), x_value(leader->x1)},
                          {y_value(leader->y0), y_value(leader->y1)},
                          {},
                          {},
                          Series::Style::line,
                          best.label.color});
    }
    return true;
  }

  /// In the figure's units.
  [[nodiscard]] const std::vector<Label>& labels() const { return labels_; }
  [[nodiscard]] const std::vector<Series>& leaders() const { return leaders_; }

 private:
  [[nodiscard]] double x_value(double x) const { return min_x_ * std::pow(10, x / decade_x_); }
  [[nodiscard]] double y_value(double y) const { return min_y_ * std::pow(10, y / decade_y_); }

  /// Crossing lines is bad, covering markers and texts is worse, and leaving the plot is worst.
  [[nodiscard]] double cost(const Place& place) const {
    constexpr double line_cost = 1, text_cost = 10, outside_cost = 1000;
    double sum = 0;
    for (const Rectangle& room : place.room) {
      const bool outside = room.left < 0 || room.right > area_.width || room.bottom < 0 || room.top > area_.height;
      sum += outside ? outside_cost : 0;
      const auto covered = std::count_if(taken_.begin(), taken_.end(), [&](const Rectangle& taken) { return overlap(taken, room); });
      const auto crossed = std::count_if(lines_.begin(), lines_.end(), [&](const Line& line) { return crosses(line, room); });
      sum += text_cost * static_cast<double>(covered) + line_cost * static_cast<double>(crossed);
    }
    if (const std::optional<Line>& leader = place.leader) {
      const auto struck = std::count_if(taken_.begin(), taken_.end(), [&](const Rectangle& taken) { return crosses(*leader, taken); });
      sum += text_cost * static_cast<double>(struck);
    }
    return sum;
  }

  report::PlotArea area_;
  double min_x_, min_y_, decade_x_, decade_y_;
  std::vector<Line> lines_;
  std::vector<Rectangle> taken_;
  std::vector<Label> labels_;
  std::vector<Series> leaders_;
};

/// The routine and its sizes, with flags if asked for; of a program, its command without the directory.
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

/// Short, but different where calls are; with threads and precision where they aren't the roofs'.
std::vector<std::string> point_names(const std::vector<Point>& points, int threads, const std::string& precision) {
  constexpr std::size_t longest = 60;
  std::vector<std::string> names;
  for (const Point& point : points) {
    const std::string brief = short_name(point, false), whole = short_name(point, true);
    const bool is_ambiguous = std::any_of(points.begin(), points.end(), [&](const Point& other) {
      return short_name(other, false) == brief && short_name(other, true) != whole;
    });
    std::string name = is_ambiguous ? whole : brief;
    name = name.size() > longest ? name.substr(0, longest - 3) + "..." : name;
    name += point.threads != threads ? ", " + counted(point.threads, "thread") : "";
    name += point.precision != precision ? ", " + point.precision : "";
    names.push_back(name);
  }
  return names;
}

/// The picture while it grows: in flops per byte and GFLOP/s.
class Picture {
 public:
  Picture(const Roofline& roofline, std::string precision) : roofline_(roofline), precision_(std::move(precision)) {
    for (const Point& point : roofline.points) {
      if (std::isfinite(point.intensity()) && point.intensity() > 0 && point.flops_rate.median() > 0) {
        points_.push_back(point);
      }
    }
  }

  void add(const Rise& rise) { rises_.push_back(rise); }
  void add(const Ceiling& ceiling) { ceilings_.push_back(ceiling); }

  Figure finish() {
    const std::string name = roofline_.cpu.substr(0, roofline_.cpu.find(" (family"));  // the whole is too long for a title
    figure_.title = fmt::format("{}, {}, {}", name, counted(roofline_.max_threads(), "thread"), roofline_.date.substr(0, 10));
    set_axes();
    for (const Ceiling& ceiling : ceilings_) {  // first: they decide how wide the plot is
      const std::string rate = format_flop_rate(ceiling.gigaflops / giga);
      figure_.labels.push_back({fmt::format("{} {}", ceiling.name, rate.substr(0, rate.find(' '))), 0, ceiling.gigaflops,
                                Label::Align::left, false, true, ceiling.color});
    }
    Layout layout(figure_);
    draw_lines(layout);
    draw_ridges(layout);
    Series points = add_points(layout);
    name_rises(layout);
    name_points(layout);
    figure_.series.insert(figure_.series.end(), layout.leaders().begin(), layout.leaders().end());
    if (!points.x.empty()) {
      figure_.series.push_back(std::move(points));  // last: above everything
    }
    figure_.labels.insert(figure_.labels.end(), layout.labels().begin(), layout.labels().end());
    return std::move(figure_);
  }

 private:
  void set_axes() {
    double least = 1.0 / 64, most = 0, bottom = std::numeric_limits<double>::infinity(), top = 0;
    for (const Rise& rise : rises_) {
      most = std::max(most, 10 * rise.ridge);
      bottom = std::min(bottom, rise.gigabytes * least);
    }
    for (const Ceiling& ceiling : ceilings_) {
      top = std::max(top, 2 * ceiling.gigaflops);
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

  void draw_line(Layout& layout, std::vector<double> x, std::vector<double> y, int color, bool dashed) {
    layout.add_line(x[0], y[0], x[1], y[1]);
    figure_.series.push_back({"", std::move(x), std::move(y), {}, {}, Series::Style::line, color, dashed});
  }

  void draw_lines(Layout& layout) {
    const double least = figure_.x.range->low, most = figure_.x.range->high;
    for (const Rise& rise : rises_) {
      draw_line(layout, {least, rise.ridge}, {rise.gigabytes * least, rise.gigabytes * rise.ridge}, rise.color, rise.dashed);
    }
    for (const Ceiling& ceiling : ceilings_) {
      draw_line(layout, {std::max(ceiling.from, least), most}, {ceiling.gigaflops, ceiling.gigaflops}, ceiling.color, ceiling.dashed);
    }
  }

  /// Dots at the ends of the solid roofs, with their intensities above.
  void draw_ridges(Layout& layout) {
    using enum Label::Align;
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
      std::vector<Place> places;
      for (const double above : {13, 27, 41}) {
        places.push_back(level_place(text, x, y + above, center, ceiling_color));
        places.push_back(level_place(text, x + 4, y + above, right, ceiling_color));
      }
      layout.put(places);
    }
    figure_.series.push_back(ridges);
  }

  [[nodiscard]] Series add_points(Layout& layout) const {
    Series series{"", {}, {}, {}, {}, Series::Style::points, point_color};
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

  /// Along its line, at the lower end first.
  static std::vector<Place> places_along(const Layout& layout, const Rise& rise, const std::vector<double>& distances) {
    constexpr double step = 8;
    std::vector<Place> places;
    for (const double apart : distances) {
      for (int i = 1; i * step < layout.x(rise.ridge); ++i) {
        const double start = i * step;
        places.push_back(layout.rising_place(rise, start, apart));
        places.push_back(layout.rising_place(rise, start, -apart));
      }
    }
    return places;
  }

  /// First those that have room next to their lines; the others stand beyond the lines close by, and leaders show whose they are.
  void name_rises(Layout& layout) {
    std::vector<Rise> longest_first = rises_, others;
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const Rise& a, const Rise& b) { return a.name.size() > b.name.size(); });
    for (const Rise& rise : longest_first) {
      if (!layout.put(places_along(layout, rise, {next_to_line}), 0)) {
        others.push_back(rise);
      }
    }
    for (const Rise& rise : others) {
      layout.put(places_along(layout, rise, {next_to_line, 22, 35, 48}));
    }
  }

  /// Left of a point in the right half, if there is room.
  static std::vector<Place> places_around(const Layout& layout, const Point& point, const std::string& name) {
    using enum Label::Align;
    constexpr double beside = 7, above = 12;
    const double x = layout.x(point.intensity()), y = layout.y(point.flops_rate.median() * giga);
    std::vector<Place> places = {level_place(name, x + beside, y, left, point_color), level_place(name, x - beside, y, right, point_color)};
    if (x > layout.width() / 2) {
      std::swap(places[0], places[1]);
    }
    for (const double higher : {above, -above, 2 * above, -2 * above, 3 * above, -3 * above}) {
      places.push_back(level_place(name, x, y + higher, center, point_color));
      places.push_back(level_place(name, x + beside, y + higher, left, point_color));
      places.push_back(level_place(name, x - beside, y + higher, right, point_color));
    }
    return places;
  }

  /// By names if they are few and have room, else by numbers.
  void name_points(Layout& layout) {
    constexpr std::size_t few = 3;
    const std::vector<std::string> names = point_names(points_, roofline_.max_threads(), precision_);
    Layout named = layout;
    bool has_room = points_.size() <= few;
    for (std::size_t i = 0; i < points_.size() && has_room; ++i) {
      has_room = named.put(places_around(named, points_[i], names[i]), 0);
    }
    if (has_room) {
      layout = named;
      return;
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      figure_.notes.push_back(fmt::format("{}  {}", i + 1, names[i]));
      layout.put(places_around(layout, points_[i], fmt::format("{}", i + 1)));
    }
  }

  const Roofline& roofline_;
  std::string precision_;
  std::vector<Point> points_;
  std::vector<Rise> rises_;
  std::vector<Ceiling> ceilings_;
  Figure figure_;
};

/// Where a ceiling meets the memory's roof of so many threads.
double memory_ridge(const Roofline& roofline, int threads, double flops) {
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", threads);
  return memory == nullptr ? 0 : flops / memory->bytes.attained();
}

Rise rise_of(const BandwidthRoof& roof, double peak, int color, bool dashed) {
  return {fmt::format("{} {}", roof.name(), format_bandwidth(roof.bytes.attained())), roof.bytes.attained() * giga,
          peak / roof.bytes.attained(), color, dashed};
}

/// The smallest ridge is given back.
double add_levels(Picture& picture, const Roofline& roofline, int threads, double peak) {
  int color = 1;
  double first = std::numeric_limits<double>::infinity();
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    const bool is_memory = roof.level == "memory";
    if (roof.stream != "triad" || roof.threads != threads || (roof.nontemporal && !is_memory)) {
      continue;
    }
    if (roof.nontemporal) {
      picture.add(rise_of(roof, peak, nontemporal_color, true));
    } else {
      picture.add(rise_of(roof, peak, is_memory ? memory_color : color, false));
      first = std::min(first, peak / roof.bytes.attained());
      color += is_memory ? 0 : color == 3 ? 7 : 1;
    }
  }
  return first;
}

/// The fastest one with most threads.
const GemmRoof* gemm_of(const Roofline& roofline, const std::string& routine) {
  const GemmRoof* best = nullptr;
  for (const GemmRoof& roof : roofline.gemm) {
    if (roof.routine == routine && (best == nullptr || roof.threads > best->threads ||
                                    (roof.threads == best->threads && roof.flops.attained() > best->flops.attained()))) {
      best = &roof;
    }
  }
  return best;
}

/// Without the precision, which the axis tells.
std::string ceiling_name(const ComputeRoof& roof) {
  std::string name = roof.name;
  const std::size_t found = name.find(roof.precision + ' ');
  return found == std::string::npos ? name : name.erase(found, roof.precision.size() + 1);
}

/// FMA of the other vectors, so that one sees what code without wide vectors can reach.
void add_ceilings(Picture& picture, const Roofline& roofline, const ComputeRoof& best, double first_ridge) {
  const int threads = best.threads;
  picture.add(Ceiling{ceiling_name(best), best.ceiling() * giga, first_ridge, ceiling_color, false});
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.precision == best.precision && roof.flops_per_lane == 2 && roof.fused && roof.name != best.name) {
      picture.add(Ceiling{ceiling_name(roof), roof.ceiling() * giga, memory_ridge(roofline, threads, roof.ceiling()), ceiling_color});
    }
  }
  if (const GemmRoof* gemm = gemm_of(roofline, best.precision == "single" ? "sgemm" : "dgemm")) {
    const std::string name =
        fmt::format("{} {}{}", gemm->library.name, gemm->routine, gemm->threads == threads ? "" : ", " + counted(gemm->threads, "thread"));
    const double flops = gemm->flops.attained();
    picture.add(Ceiling{name, flops * giga, std::max(memory_ridge(roofline, gemm->threads, flops), memory_ridge(roofline, threads, flops)),
                        gemm_color});
  }
}

/// "single" if gemm was searched in that one only.
std::string drawn_precision(const Roofline& roofline) {
  const bool is_single = !roofline.gemm.empty() && std::all_of(roofline.gemm.begin(), roofline.gemm.end(),
                                                               [](const GemmRoof& gemm) { return gemm.routine == "sgemm"; });
  return is_single ? "single" : "double";
}

}  // namespace

Figure roofline_figure(const Roofline& roofline) {
  const int threads = roofline.max_threads();
  const std::string precision = drawn_precision(roofline);
  const ComputeRoof* best = best_compute(roofline, threads, precision);
  if (best == nullptr || find_bandwidth(roofline, "memory", "triad", threads) == nullptr) {
    throw bad_input("a picture needs an FMA ceiling in {} precision and the triad's bandwidths, which weren't measured", precision);
  }
  Picture picture(roofline, precision);
  add_ceilings(picture, roofline, *best, add_levels(picture, roofline, threads, best->ceiling()));
  const ComputeRoof* one = best_compute(roofline, 1, precision);
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", 1);
  if (threads > 1 && one != nullptr && memory != nullptr) {
    Rise rise = rise_of(*memory, one->ceiling(), one_thread_color, true);
    rise.name = "1 thread: " + rise.name;
    picture.add(rise);
    picture.add(Ceiling{"1 thread: " + ceiling_name(*one), one->ceiling() * giga, rise.ridge, one_thread_color});
  }
  return picture.finish();
}

}  // namespace flopcast
