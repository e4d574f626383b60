#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::report {

/// One curve or cloud of points; x and y are of the same length, low and high (error bars) too or empty. Points that aren't finite are left out.
struct Series {
  enum class Style : unsigned char { line, points, line_points };
  std::string title;
  std::vector<double> x, y;
  std::vector<double> low = {}, high = {};
  Style style = Style::line_points;
};

struct Axis {
  std::string label;
  bool logarithmic = false;
  std::optional<Interval> range = {};  ///< without one, what the data need
};

struct Figure {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

/// The gnuplot program that draws the figure with `terminal` ("svg", "pngcairo") to standard output; the data are in it.
std::string gnuplot_script(const Figure& figure, const std::string& terminal);

/// Draws into `path`: .svg or .png by gnuplot, .gp for the gnuplot program itself. Throws usage_error for another ending and
/// environment_error if gnuplot is missing or fails.
void draw(const Figure& figure, const std::string& path);

}  // namespace flopcast::report
