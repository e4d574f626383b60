#pragma once

#include <string>
#include <vector>

#include "flopcast/report/figure.hpp"

/// Layout of figures, by gnuplot and on pages. Lengths are units of gnuplot.hpp unless they are values of an axis.
namespace flopcast::report {

struct PlotPoint {
  double x, y, low, high;
};

/// Returns the points of a series that have a place on the axes: finite, and positive on a logarithmic axis. low and high are y where the
/// series has none; a low end that has no place is y, too.
std::vector<PlotPoint> plotted_points(const Figure& figure, const Series& series);

/// Ranges of both axes: those of the figure, or a little more than its points and their intervals take.
struct PlotRanges {
  Interval x, y;
};
PlotRanges plot_ranges(const Figure& figure);

struct Tick {
  double value;
  std::string text;
};
/// Returns the ticks of an axis, about `wanted` of them.
std::vector<Tick> ticks_of(const Interval& range, bool logarithmic, int wanted);
/// Returns the part of the axis, from 0 to 1, that lies below a value.
double place_on(const Interval& range, bool logarithmic, double value);

/// Returns the width of what stands at the right of the plot.
double right_margin(const Figure& figure);
/// Returns the angle, in degrees, of a line of slope 1 in the plot.
double rising_angle(const Figure& figure);

/// A label beside the plot. It stands at its y, or lower if the labels above need the space; all of them stay above the plot's lower edge.
struct SideLabel {
  Label label;
  double wanted, placed;  ///< distances from the plot's lower edge
};
inline constexpr double leader_length = 10, label_gap = 3;  ///< between the plot and a label beside it
/// Returns the labels beside the plot, the highest first.
std::vector<SideLabel> labels_beside(const Figure& figure);

}  // namespace flopcast::report
