#pragma once

#include <string>
#include <vector>

#include "flopcast/report/figure.hpp"
#include "flopcast/roofline/roof.hpp"
#include "flopcast/tasks/roofline/label_layout.hpp"

namespace flopcast {

/// A roof that doesn't depend on the intensity.
struct Ceiling {
  std::string name;
  double gigaflops = 0;
  double from = 0;  ///< intensity at which it begins
  int color = 0;
  bool dashed = true;
};

/// Factor from flops and bytes to the figure's GFLOP and GB.
inline constexpr double giga = 1e-9;

/// Numbers of colours. Levels of caches have 1, 2, 3 and then 10.
inline constexpr int memory_color = 4, nontemporal_color = 5, one_thread_color = 6, point_color = 7, ceiling_color = 8, gemm_color = 9;

/// A roofline's figure under construction, in flops per byte and GFLOP/s.
class FigurePicture {
 public:
  FigurePicture(const roofline::Roofline& roofline, std::string precision);

  void add(const Rise& rise) { rises_.push_back(rise); }
  void add(const Ceiling& ceiling) { ceilings_.push_back(ceiling); }
  report::Figure finish();

 private:
  void set_axes();
  void draw_line(LabelLayout& layout, std::vector<double> x, std::vector<double> y, int color, bool dashed);
  void draw_lines(LabelLayout& layout);
  void draw_ridges(LabelLayout& layout);
  [[nodiscard]] report::Series add_points(LabelLayout& layout) const;
  void name_rises(LabelLayout& layout);
  void name_points(LabelLayout& layout);

  const roofline::Roofline& roofline_;
  std::string precision_;
  std::vector<roofline::Point> points_;
  std::vector<Rise> rises_;
  std::vector<Ceiling> ceilings_;
  report::Figure figure_;
};

/// Returns the roofline as Williams, Waterman and Patterson draw it. Solid lines are the triad's roof of every level up to its ridge, and
/// the FMA ceiling, for all threads. Dashed lines are the other ceilings, the best gemm, and one core's memory roof and FMA ceiling. Points
/// have intervals, and numbers that a list below explains where they are many or have long names. The precision is single if only sgemm was
/// searched, else double. Throws bad_input if no bandwidth or no FMA ceiling was measured.
report::Figure roofline_figure(const roofline::Roofline& roofline);

}  // namespace flopcast
