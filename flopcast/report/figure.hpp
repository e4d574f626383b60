#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flopcast/core/statistics.hpp"

namespace flopcast::report {

/// One curve or cloud of points. x and y have the same length, as have low and high (error bars) unless they are empty. Points that aren't
/// finite are left out.
struct Series {
  enum class Style : unsigned char { line, points, line_points };
  std::string title;
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};
  Style style = Style::line_points;
  int color = 0;          ///< number of a colour, from 1; 0: the colour of the series' position
  bool dashed = false;    ///< true if the line is dashed
  bool band = false;      ///< low and high are the edges of an area instead of error bars
  std::string name = {};  ///< name in CSV of a series without a title

  [[nodiscard]] const std::string& any_name() const { return title.empty() ? name : title; }
};

/// Text at a position in the plot.
struct Label {
  std::string text;
  double x = 0, y = 0;
  enum class Alignment : unsigned char { left, right, center } align = Alignment::left;
  bool rising = false;  ///< written along a line of slope 1; allowed only if both axes are logarithmic and have ranges
  bool beside = false;  ///< stands at the right of the plot with a line to its y, whatever its x is; allowed only if the y axis has a range
  int color = 0;        ///< number of a colour as in Series; 0: black
};

struct FigureAxis {
  std::string label;
  bool logarithmic = false;
  std::optional<Interval> range = {};  ///< range of the axis; empty: the range of the data
};

struct Figure {
  std::string title;
  FigureAxis x, y;
  std::vector<Series> series;  ///< series without a title aren't in the legend
  std::vector<Label> labels = {};
  std::vector<std::string> notes = {};  ///< short texts listed below the plot
};

/// Area inside the axes. The unit of length is 1/440 of the picture's width.
struct PlotArea {
  double width, height;
};
PlotArea plot_area(const Figure& figure);

/// Height and width of a label in the unit of PlotArea; the width is an estimate.
inline constexpr double label_height = 13;
double label_width(const std::string& text);

/// Returns the gnuplot program, data included, that draws the figure with `terminal` ("svg", "pngcairo", "pdfcairo") to standard output.
std::string gnuplot_script(const Figure& figure, const std::string& terminal);

}  // namespace flopcast::report
