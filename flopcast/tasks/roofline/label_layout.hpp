#pragma once

#include <limits>
#include <string>
#include <vector>

#include "flopcast/report/figure.hpp"

/// Labels of a figure that are in nobody's way. Coordinates are pixels from the plot's lower left corner, unless they are said to be values.
namespace flopcast {

/// A roof that rises with the intensity, up to its ridge with a ceiling.
struct Rise {
  std::string name;
  double gigabytes = 0, ridge = 0;
  int color = 0;
  bool dashed = false;
};

struct Rectangle {
  double left, right, bottom, top;
};

struct PlotLine {
  double x0, y0, x1, y1;
};

/// A text at a position, and the area that it covers. Text that rises covers many small squares.
struct LabelSpot {
  report::Label label;
  std::vector<Rectangle> area;
};

/// Returns the spot of a level text at (x, y).
LabelSpot level_spot(const std::string& text, double x, double y, report::Label::Alignment align, int color);

/// Lines, markers and labels of a figure with logarithmic axes and ranges.
class LabelLayout {
 public:
  explicit LabelLayout(const report::Figure& figure);

  [[nodiscard]] double x(double value) const;
  [[nodiscard]] double y(double value) const;
  [[nodiscard]] double width() const { return area_.width; }

  void add_line(double x0, double y0, double x1, double y1);  ///< a line between values
  void add_marker(double x_value, double y_value);

  /// Returns the spot of a name along its rise, `above` the line.
  [[nodiscard]] LabelSpot rising_spot(const Rise& rise, double start, double above) const;

  /// Adds the first of the spots that disturb least. Returns false if even that one costs more than `max_cost`: then nothing is added.
  bool put(const std::vector<LabelSpot>& spots, double max_cost = std::numeric_limits<double>::infinity());

  /// Labels in the figure's values.
  [[nodiscard]] const std::vector<report::Label>& labels() const { return labels_; }

 private:
  [[nodiscard]] double x_value(double x) const;
  [[nodiscard]] double y_value(double y) const;
  /// Returns what is wrong with a spot: crossing lines is bad, covering markers and texts is worse, and leaving the plot is worst.
  [[nodiscard]] double cost(const LabelSpot& spot) const;

  report::PlotArea area_;
  double min_x_, min_y_, decade_x_, decade_y_;
  std::vector<PlotLine> lines_;
  std::vector<Rectangle> taken_;
  std::vector<report::Label> labels_;
};

}  // namespace flopcast
