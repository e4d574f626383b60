#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::report {

/// One curve or cloud of points; x and y are of the same length, low and high (error bars) too or empty. Points that aren't finite are left
/// out.
struct Series {
  enum class Style : unsigned char { line, points, line_points };
  std::string title;
  std::vector<double> x, y;
  std::vector<double> low = {}, high = {};
  Style style = Style::line_points;
  int color = 0;        ///< number of a colour, from 1; 0: that of the series' place
  bool dashed = false;  ///< the line
};

/// Text at a place of the plot.
struct Label {
  std::string text;
  double x = 0, y = 0;
  enum class Align : unsigned char { left, right, center } align = Align::left;
  bool rising = false;  ///< written along a line of slope 1; only where both axes are logarithmic and have ranges
  bool beside = false;  ///< stands at the right of the plot with a line to its y, whatever its x; only where the y axis has a range
  int color = 0;        ///< as a series' has it; 0: black
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<Interval> range = {};  ///< without one, what the data need
};

struct Figure {
  std::string title;
  Axis x, y;
  std::vector<Series> series;  ///< those without a title aren't in the legend
  std::vector<Label> labels = {};
  std::vector<std::string> notes = {};  ///< short texts listed below the plot; only where a label rises or is beside
};

/// What is inside the axes, where a label rises or is beside, in the pixels of an SVG.
struct PlotArea {
  double width, height;
};
PlotArea plot_area(const Figure& figure);

/// Room that a label needs, in the same pixels; its width is an estimate.
inline constexpr double label_height = 14;
double label_width(const std::string& text);

/// The gnuplot program that draws the figure with `terminal` ("svg", "pngcairo") to standard output; the data are in it.
std::string gnuplot_script(const Figure& figure, const std::string& terminal);

/// Throws usage_error for an ending that draw doesn't know, environment_error as require_writable does: told before the work, not after it.
void require_drawable(const std::string& path);

/// Draws into `path`: .svg or .png by gnuplot, .gp for the gnuplot program itself. Throws usage_error for another ending and
/// environment_error if gnuplot is missing or fails.
void draw(const Figure& figure, const std::string& path);

}  // namespace flopcast::report
