#include "flopcast/report/page_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "flopcast/report/figure_layout.hpp"
#include "flopcast/report/page.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::report {
namespace {

constexpr std::size_t max_colors = 10;  // --c1 ... --c10 of the style sheet

std::string color_of(std::size_t number) { return fmt::format("var(--c{})", (number - 1) % max_colors + 1); }

std::string rectangle(double x, double y, double width, double height, std::string_view color) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y, std::max(width, 0.0),
                     height, color);
}

/// Returns shapes with a text that shows when the pointer is over them.
std::string hovered(std::string_view text, const std::string& shapes) {
  return fmt::format("<g><title>{}</title>\n{}</g>\n", html_escaped(text), shapes);
}

constexpr double drawing_width = 960;  ///< units; the page stretches drawings to its own width

/// Returns shapes without text, stretched to the page's width.
std::string drawing_of(const std::string& shapes, double height) {
  return fmt::format("<svg class=\"drawing\" viewBox=\"0 0 {0:.0f} {1:.0f}\" height=\"{1:.0f}\" preserveAspectRatio=\"none\">\n{2}</svg>\n",
                     drawing_width, height, shapes);
}

std::string figure_element(std::string_view kind, std::string_view caption, const std::string& contents, const Picture& picture) {
  return fmt::format("<figure class=\"{}\">\n<figcaption>{}</figcaption>\n{}{}</figure>\n", kind, html_escaped(caption), contents,
                     json_element("class=\"picture\"", picture_json(picture)));
}

/// Returns the entry of a legend.
std::string key_entry(std::string_view color, std::string_view text) {
  return fmt::format("<span><i style=\"background: {}\"></i>{}</span>", color, html_escaped(text));
}

/// Draws a Figure: its shapes stand in an SVG that the page stretches, its texts beside and above it in their natural size.
class Still {
 public:
  explicit Still(const Figure& figure) : figure_(figure), ranges_(plot_ranges(figure)) {}

  [[nodiscard]] std::string html() const {
    std::string curves, texts = ticks_and_labels();
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      curves += curve(figure_.series[i], series_color(i));
    }
    const PlotArea area = plot_area(figure_);
    return fmt::format(
        "<div class=\"still\" role=\"img\" aria-label=\"{0}: {1} over {2}\">\n<p class=\"axis\">{1}</p>\n"
        "<div class=\"plot\" style=\"--right: {3:.0f}px; --aspect: {4:.3f}\">\n"
        "<svg viewBox=\"0 0 {5:.0f} {5:.0f}\" preserveAspectRatio=\"none\">\n{6}{7}</svg>\n{8}{9}</div>\n<p class=\"axis "
        "x\">{2}</p>\n</div>\n{10}",
        html_escaped(figure_.title), html_escaped(figure_.y.label), html_escaped(figure_.x.label), right_margin(figure_),
        area.width / area.height, side, grid(), curves, texts, leaders(), key());
  }

 private:
  static constexpr double side = 1000;  ///< width and height of the SVG in its own units
  static constexpr int wanted_ticks = 6;

  [[nodiscard]] std::string series_color(std::size_t i) const {
    const int color = figure_.series[i].color;
    return color_of(color > 0 ? static_cast<std::size_t>(color) : i + 1);
  }
  [[nodiscard]] double x(double value) const { return side * place_on(ranges_.x, figure_.x.logarithmic, value); }
  [[nodiscard]] double y(double value) const { return side * (1 - place_on(ranges_.y, figure_.y.logarithmic, value)); }
  [[nodiscard]] std::vector<Tick> x_ticks() const { return ticks_of(ranges_.x, figure_.x.logarithmic, wanted_ticks); }
  [[nodiscard]] std::vector<Tick> y_ticks() const { return ticks_of(ranges_.y, figure_.y.logarithmic, wanted_ticks); }

  [[nodiscard]] std::string grid() const {
    std::string path;
    for (const Tick& tick : x_ticks()) {
      path += fmt::format("M{:.1f} 0V{:.0f}", x(tick.value), side);
    }
    for (const Tick& tick : y_ticks()) {
      path += fmt::format("M0 {:.1f}H{:.0f}", y(tick.value), side);
    }
    return fmt::format("<path class=\"grid\" d=\"{}\"/>\n", path);
  }

  [[nodiscard]] std::string curve(const Series& series, const std::string& color) const {
    const std::vector<PlotPoint> points = plotted_points(figure_, series);
    if (points.empty()) {
      return "";
    }
    std::string line, edge, back, bars, dots;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const PlotPoint& point = points[i];
      const double at = x(point.x);
      const char* step = i == 0 ? "M" : "L";
      line += fmt::format("{}{:.1f} {:.1f}", step, at, y(point.y));
      edge += fmt::format("{}{:.1f} {:.1f}", step, at, y(point.high));
      back.insert(0, fmt::format("L{:.1f} {:.1f}", at, y(point.low)));
      bars += fmt::format("M{:.1f} {:.1f}V{:.1f}", at, y(point.low), y(point.high));
      dots += hovered(point_text(series, point), fmt::format("<path class=\"dot\" d=\"M{:.1f} {:.1f}h0\"/>\n", at, y(point.y)));
    }
    std::string shapes;
    if (!series.low.empty()) {
      shapes += series.band ? fmt::format("<path class=\"band\" d=\"{}{}Z\"/>\n", edge, back)
                            : fmt::format("<path class=\"interval\" d=\"{}\"/>\n", bars);
    }
    if (series.style != Series::Style::points) {
      shapes += fmt::format("<path class=\"line{}\" d=\"{}\"/>\n", series.dashed ? " dashed" : "", line);
    }
    return fmt::format("<g style=\"--color: {}\">\n{}{}</g>\n", color, shapes, series.style == Series::Style::line ? "" : dots);
  }

  [[nodiscard]] std::string point_text(const Series& series, const PlotPoint& point) const {
    std::string text = series.any_name().empty() ? "" : series.any_name() + ": ";
    text += fmt::format("{} {:.6g}, {} {:.6g}", figure_.x.label, point.x, figure_.y.label, point.y);
    return series.low.empty() ? text : text + fmt::format(" ({:.6g} - {:.6g})", point.low, point.high);
  }

  [[nodiscard]] std::string ticks_and_labels() const {
    std::string texts;
    for (const Tick& tick : x_ticks()) {
      texts += fmt::format("<span class=\"tick x\" style=\"left: {:.2f}%\">{}</span>\n", x(tick.value) / side * 100, tick.text);
    }
    for (const Tick& tick : y_ticks()) {
      texts += fmt::format("<span class=\"tick y\" style=\"top: {:.2f}%\">{}</span>\n", y(tick.value) / side * 100, tick.text);
    }
    for (const Label& label : figure_.labels) {
      texts += label.beside ? "" : inner_label(label);
    }
    for (const SideLabel& label : labels_beside(figure_)) {
      texts += label_at(label.label, "beside", 100, 100 * (1 - label.placed / plot_area(figure_).height), "");
    }
    return texts;
  }

  [[nodiscard]] std::string inner_label(const Label& label) const {
    static constexpr std::array<const char*, 3> aligned = {"left", "right", "center"};
    return label_at(label, aligned[static_cast<std::size_t>(label.align)], x(label.x) / side * 100, y(label.y) / side * 100,
                    label.rising ? fmt::format("; rotate: -{:.1f}deg", rising_angle(figure_)) : "");
  }

  static std::string label_at(const Label& label, const char* kind, double left, double top, const std::string& more) {
    return fmt::format("<span class=\"label {}\" style=\"left: {:.2f}%; top: {:.2f}%; color: {}{}\">{}</span>\n", kind, left, top,
                       label.color > 0 ? color_of(static_cast<std::size_t>(label.color)) : "var(--ink)", more, html_escaped(label.text));
  }

  /// Returns the lines to the labels beside the plot.
  [[nodiscard]] std::string leaders() const {
    std::string lines;
    const double height = plot_area(figure_).height;
    for (const SideLabel& label : labels_beside(figure_)) {
      lines += fmt::format("<path style=\"--color: {}\" class=\"line\" d=\"M0 {:.1f}L1 {:.1f}\"/>\n",
                           color_of(label.label.color > 0 ? static_cast<std::size_t>(label.label.color) : 8), height - label.wanted,
                           height - label.placed);
    }
    return lines.empty()
               ? ""
               : fmt::format("<svg class=\"leaders\" viewBox=\"0 0 1 {:.0f}\" preserveAspectRatio=\"none\">\n{}</svg>\n", height, lines);
  }

  /// Returns the legend, the labels' texts for windows that are too narrow for labels, and the notes.
  [[nodiscard]] std::string key() const {
    std::string titles, labels, notes;
    for (std::size_t i = 0; i < figure_.series.size(); ++i) {
      titles += figure_.series[i].title.empty() ? "" : key_entry(series_color(i), figure_.series[i].title);
    }
    for (const Label& label : figure_.labels) {
      labels += key_entry(color_of(label.color > 0 ? static_cast<std::size_t>(label.color) : 8), label.text);
    }
    for (const std::string& note : figure_.notes) {
      notes += fmt::format("<span>{}</span>", html_escaped(note));
    }
    const auto list = [](const char* kind, const std::string& entries) {
      return entries.empty() ? "" : fmt::format("<p class=\"key {}\">{}</p>\n", kind, entries);
    };
    return list("titles", titles) + list("labels", labels) + list("notes", notes);
  }

  const Figure& figure_;
  PlotRanges ranges_;
};

std::string html_of(const Figure& figure) {
  Figure shown = figure;  // scripts show the same ranges
  const PlotRanges ranges = plot_ranges(figure);
  shown.x.range = ranges.x;
  shown.y.range = ranges.y;
  return figure_element("chart", figure.title, Still(figure).html(), shown);
}

std::string whisker(double low, double high, double y) {
  static constexpr double half = 4;
  return fmt::format("<path class=\"whisker\" d=\"M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}V{4:.1f}M{1:.1f} {3:.1f}V{4:.1f}\"/>\n", low,
                     high, y, y - half, y + half);
}

std::string html_of(const BarChart& chart) {
  static constexpr double thickness = 14, margin = 2;  // whiskers at the end of the longest bar are seen, too
  double longest = 0;
  for (const Bar& bar : chart.bars) {
    longest = std::max({longest, bar.value, bar.range ? bar.range->high : 0.0});
  }
  const double scale = longest > 0 ? (drawing_width - margin) / longest : 0;
  std::string rows;
  for (const Bar& bar : chart.bars) {
    std::string shapes = rectangle(0, 1, bar.value * scale, thickness, bar.reference ? "var(--reference)" : "var(--bar)");
    std::string text = fmt::format("{}: {:.6g} {}", bar.label, bar.value, chart.unit);
    if (bar.range) {
      shapes += whisker(bar.range->low * scale, bar.range->high * scale, 1 + thickness / 2);
      text += fmt::format(" ({:.6g} - {:.6g})", bar.range->low, bar.range->high);
    }
    rows += fmt::format("<div class=\"row\"><span>{}</span><span>{}</span>\n{}</div>\n", html_escaped(bar.label), html_escaped(bar.text),
                        drawing_of(hovered(text, shapes), thickness + 2));
  }
  return figure_element("bars", chart.caption, rows, chart);
}

/// Returns the bin's parts, the first series at the bottom, with the shares as a text.
std::string bin_of(const Strips& strips, const Strips::BinRow& strip, std::size_t b, double height) {
  const double bins = static_cast<double>(strip.bins.size()), width = drawing_width / bins, seconds = (strips.end - strips.begin) / bins;
  std::string shapes, shares;
  double bottom = height;
  for (std::size_t s = 0; s < strip.bins[b].size(); ++s) {
    const double part = std::min(strip.bins[b][s] * height, bottom);
    if (part > 0.05) {  // less can't be seen
      bottom -= part;
      shapes += rectangle(static_cast<double>(b) * width, bottom, width, part, color_of(s + 1));
      shares += fmt::format(", {} {}", s < strips.series.size() ? strips.series[s] : "", format_percent(strip.bins[b][s]));
    }
  }
  const bool on_path = b < strip.on_path.size() && strip.on_path[b];
  shapes += on_path ? rectangle(static_cast<double>(b) * width, height, width, 4, "var(--ink)") : "";
  return shapes.empty()
             ? ""
             : hovered(fmt::format("{}, {}{}{}", strip.label, format_seconds(strips.begin + seconds * (static_cast<double>(b) + 0.5)),
                                   shares, on_path ? ", on the critical path" : ""),
                       shapes);
}

std::string html_of(const Strips& strips) {
  static constexpr double height = 34, path_height = 5;
  std::string rows = "<p class=\"key\">";
  for (std::size_t s = 0; s < strips.series.size(); ++s) {
    rows += key_entry(color_of(s + 1), strips.series[s]);
  }
  const bool has_path = std::any_of(strips.strips.begin(), strips.strips.end(), [](const auto& strip) { return !strip.on_path.empty(); });
  rows += (has_path ? key_entry("var(--ink)", "critical path") : "") + "</p>\n";
  for (const Strips::BinRow& strip : strips.strips) {
    std::string shapes = rectangle(0, 0, drawing_width, height, "var(--head)");
    for (std::size_t b = 0; b < strip.bins.size(); ++b) {
      shapes += bin_of(strips, strip, b, height);
    }
    rows += fmt::format("<div class=\"row\"><span>{}</span>\n{}</div>\n", html_escaped(strip.label),
                        drawing_of(shapes, height + (has_path ? path_height : 0)));
  }
  rows += fmt::format("<p class=\"ends\"><span>{}</span><span>{}</span></p>\n", format_seconds(strips.begin), format_seconds(strips.end));
  return figure_element("strips", strips.caption, rows, strips);
}

}  // namespace

std::string picture_html(const Picture& picture) {
  return std::visit([](const auto& one) { return html_of(one); }, picture);
}

}  // namespace flopcast::report
