#include "flopcast/report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "flopcast/report/figure_layout.hpp"
#include "flopcast/report/gnuplot.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::report {
namespace {

constexpr double axis_height = 46, axis_label_below = 36;
constexpr double note_height = 14, note_gap = 16;
constexpr const char* label_font = "font ',11'";

std::string axis_commands(const char* name, const FigureAxis& axis, const Interval& range) {
  return fmt::format("{1}set {0}range [{2}:{3}]\n", name, axis.logarithmic ? fmt::format("set logscale {}\n", name) : "", range.low,
                     range.high);
}

std::size_t color_of(const Figure& figure, std::size_t series) {
  const int color = figure.series[series].color;
  return color > 0 ? static_cast<std::size_t>(color) : series + 1;
}

bool has_intervals(const Series& series) { return !series.low.empty(); }

std::string data_block(const Figure& figure, const Series& series, std::size_t number) {
  std::string block = fmt::format("$data{} << END\n", number);
  for (const PlotPoint& point : plotted_points(figure, series)) {
    block += fmt::format("{} {}", point.x, point.y);
    block += has_intervals(series) ? fmt::format(" {} {}\n", point.low, point.high) : "\n";
  }
  return block + "END\n";
}

std::size_t note_columns(const Figure& figure) {
  double widest = 0;
  for (const std::string& note : figure.notes) {
    widest = std::max(widest, label_width(note) + note_gap);
  }
  return std::max<std::size_t>(1, static_cast<std::size_t>((canvas_width - note_gap) / std::max(widest, 1.0)));
}

std::size_t note_rows(const Figure& figure) { return ceil_div(figure.notes.size(), note_columns(figure)); }

double notes_height(const Figure& figure) {
  return figure.notes.empty() ? 0 : note_gap / 2 + note_height * static_cast<double>(note_rows(figure));
}

Legend legend_of(const Figure& figure) {
  std::vector<Legend::Entry> entries;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const Legend::Mark mark = series.style == Series::Style::points ? Legend::Mark::points
                              : series.dashed                       ? Legend::Mark::dashed_line
                                                                    : Legend::Mark::line;
    entries.push_back({plotted_points(figure, series).empty() ? "" : series.title, color_of(figure, i), mark});
  }
  return Legend(std::move(entries));
}

double top(const Figure& figure) { return title_height(figure.title); }

/// Returns the height of what stands below the plot: the axis, the legend and the notes.
double bottom(const Figure& figure) { return axis_height + legend_of(figure).height() + notes_height(figure); }

double height(const Figure& figure) { return top(figure) + plot_area(figure).height + bottom(figure); }

std::string text_color(const Label& label) { return label.color > 0 ? fmt::format(" textcolor linetype {}", label.color) : ""; }

std::string label_command(const Figure& figure, const Label& label) {
  constexpr std::array<const char*, 3> aligned = {"left", "right", "center"};
  return fmt::format("set label {} at {},{} {}{} {} front{}{}\n", gnuplot_string(label.text), label.x, label.y,
                     aligned[static_cast<std::size_t>(label.align)],
                     label.rising ? fmt::format(" rotate by {:.1f}", rising_angle(figure)) : "", label_font, text_color(label),
                     label.rising ? "" : " boxed");  // gnuplot's boxes don't rotate
}

/// Returns a position in gnuplot's screen coordinates, given in units from the lower left corner.
std::string screen(const Figure& figure, double x, double y) {
  return fmt::format("screen {:.5g},{:.5g}", x / canvas_width, y / height(figure));
}

/// Returns the commands for the labels beside the plot, with lines to their places.
std::string side_commands(const Figure& figure) {
  std::string commands;
  const double edge = canvas_width - right_margin(figure), origin = bottom(figure);
  for (const SideLabel& side : labels_beside(figure)) {
    commands += fmt::format("set arrow from {} to {} nohead linecolor {}\n", screen(figure, edge, origin + side.wanted),
                            screen(figure, edge + leader_length, origin + side.placed), side.label.color > 0 ? side.label.color : 8);
    commands += fmt::format("set label {} at {} left {}{}\n", gnuplot_string(side.label.text),
                            screen(figure, edge + leader_length + label_gap, origin + side.placed), label_font, text_color(side.label));
  }
  return commands;
}

std::string note_commands(const Figure& figure) {
  std::string commands;
  const std::size_t columns = note_columns(figure), rows = note_rows(figure);
  for (std::size_t i = 0; i < figure.notes.size(); ++i) {
    const std::size_t column = i / rows;
    const double x = note_gap + (canvas_width - note_gap) * static_cast<double>(column) / static_cast<double>(columns);
    const double y = note_height * (static_cast<double>(rows - i % rows) - 0.25);
    commands += fmt::format("set label {} at {} left {}\n", gnuplot_string(figure.notes[i]), screen(figure, x, y), label_font);
  }
  return commands;
}

/// Returns the titles of the picture and of its axes.
std::string title_commands(const Figure& figure) {
  const double whole = height(figure);
  return title_command(figure.title, whole) +
         fmt::format("set label {} at graph 0.5,screen {:.5g} center\nset label {} at screen {:.5g},graph 0.5 center rotate by 90\n",
                     gnuplot_string(figure.x.label), (bottom(figure) - axis_label_below) / whole, gnuplot_string(figure.y.label),
                     10 / canvas_width);
}

std::string label_commands(const Figure& figure) {
  const double whole = height(figure), right = right_margin(figure);
  std::string commands = fmt::format("set lmargin at screen {:.5g}\nset rmargin at screen {:.5g}\n",
                                     1 - (right + plot_area(figure).width) / canvas_width, 1 - right / canvas_width);
  commands += fmt::format("set bmargin at screen {:.5g}\nset tmargin at screen {:.5g}\n", bottom(figure) / whole, 1 - top(figure) / whole);
  for (const Label& label : figure.labels) {
    commands += label.beside ? "" : label_command(figure, label);
  }
  return commands + side_commands(figure) + note_commands(figure);
}

/// Returns the plot element of a series, with its area or error bars first, so that they don't hide the points.
std::string plot_element(const Series& series, std::size_t number, std::size_t color) {
  const std::string style = series.style == Series::Style::line     ? "lines"
                            : series.style == Series::Style::points ? "points pointtype 7 pointsize 0.5"
                                                                    : "linespoints pointtype 7 pointsize 0.5";
  const std::string curve =
      fmt::format("$data{} using 1:2 with {} linecolor {}{}", number, style, color, series.dashed ? " dashtype 2" : "");
  if (!has_intervals(series)) {
    return curve;
  }
  return series.band ? fmt::format("$data{} using 1:3:4 with filledcurves linecolor {} fillstyle transparent solid 0.2 noborder, {}",
                                   number, color, curve)
                     : fmt::format("$data{} using 1:2:3:4 with yerrorbars linecolor {} pointtype -1, {}", number, color, curve);
}

}  // namespace

std::string gnuplot_script(const Figure& figure, const std::string& terminal) {
  std::string script = terminal_commands(terminal, height(figure));
  script += "set grid\nset border 3\nset tics nomirror\n" + title_commands(figure);
  script += legend_of(figure).commands(height(figure), notes_height(figure));
  script += "set style textbox opaque noborder fillcolor rgb 'white' margins 0.3,0.3\n";  // behind labels, which lines may cross
  const PlotRanges ranges = plot_ranges(figure);
  script += axis_commands("x", figure.x, ranges.x) + axis_commands("y", figure.y, ranges.y) + label_commands(figure);
  std::string plot;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    if (!plotted_points(figure, figure.series[i]).empty()) {
      script += data_block(figure, figure.series[i], i + 1);
      plot += (plot.empty() ? "" : ", ") + plot_element(figure.series[i], i + 1, color_of(figure, i));
    }
  }
  return script + "plot " + (plot.empty() ? "NaN" : plot) + '\n';
}

}  // namespace flopcast::report
