#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flopcast/core/statistics.hpp"
#include "flopcast/report/figure.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::report {

/// One horizontal bar.
struct Bar {
  std::string label;
  double value = 0;                    ///< not negative
  std::string text;                    ///< the value as text for people
  std::optional<Interval> range = {};  ///< drawn as a line over the end of the bar
  bool reference = false;              ///< the bar that the others are compared with; in another colour
};

/// Bars below each other, from 0 on. A bar may consist of parts of its value.
struct BarChart {
  std::string caption;  ///< names the quantity
  std::string unit;     ///< unit of the values, such as "s"; empty if there is none
  std::vector<Bar> bars;
};

/// Strips over a common axis. Each is a row of equal bins, which several series fill in parts.
struct Strips {
  std::string caption;
  std::vector<std::string> series;
  struct BinRow {
    std::string label;
    std::vector<std::vector<double>> bins;  ///< bins, each with the part (0 to 1) that every series fills
    std::vector<bool> on_path = {};         ///< true for bins on the critical path; empty if there is no path
  };
  std::vector<BinRow> strips;
  double begin = 0, end = 0;  ///< ends of the axis in seconds
};

/// A picture of a result. All outputs are made of it: the SVG and the chart of a page, gnuplot's figure, CSV, and Python's plots.
using Picture = std::variant<Figure, BarChart, Strips>;

/// Returns the values that the picture shows: one row per point, bar, or part of a bin.
Table picture_table(const Picture& picture);

/// Returns the picture as a JSON object: {"kind": "figure" | "bars" | "strips", ...} with the members of the structure.
std::string picture_json(const Picture& picture);

/// Returns the gnuplot program, data included, that draws the picture with `terminal` ("svg", "pngcairo", "pdfcairo") to standard output.
std::string gnuplot_script(const Picture& picture, const std::string& terminal);

/// Throws usage_error for an ending that draw() doesn't know, and environment_error as require_writable() does, so that errors come before
/// the work.
void require_drawable(const std::string& path);

/// Draws into `path`: .svg, .png or .pdf by gnuplot, .gp for the gnuplot program itself, and writes picture_table() as CSV beside it.
/// Throws usage_error for another ending, and environment_error if gnuplot is missing or fails. Nothing is half-written.
void draw(const Picture& picture, const std::string& path);

}  // namespace flopcast::report
