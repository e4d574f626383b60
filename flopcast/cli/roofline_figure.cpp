#include "flopcast/cli/roofline_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "flopcast/cli/roofline_table.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/core/units.hpp"

namespace flopcast::cli {
namespace {

using report::Figure;
using report::Label;
using report::Series;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Roofline;

constexpr double giga = 1e-9;

/// The picture while it grows: in flops per byte and GFLOP/s.
class Picture {
 public:
  Picture(const Roofline& roofline, double peak) : roofline_(roofline), peak_(peak * giga) {
    double lowest = std::numeric_limits<double>::infinity(), widest = 0;
    for (const BandwidthRoof& roof : roofline.bandwidth) {
      if (roof.stream == "triad" && !roof.nontemporal) {
        lowest = std::min(lowest, roof.bytes.attained() * giga);
        widest = std::max(widest, peak_ / (roof.bytes.attained() * giga));
      }
    }
    least_ = 1.0 / 64;
    most_ = 16 * widest;
    bottom_ = lowest * least_;
    for (const roofline::Point& point : roofline.points) {
      least_ = std::min(least_, point.intensity() / 2);
      most_ = std::max(most_, point.intensity() * 8);
      bottom_ = std::min(bottom_, point.flops_rate.median() * giga / 3);
    }
  }

  /// With its name above the line at its lower end.
  void roof(const BandwidthRoof& roof, double ceiling, int color) {
    const double ridge = add_rise(roof, ceiling, color, false);
    name_rise(roof, least_ * 1.2, 1.15);
    ridges_.x.push_back(ridge);
    ridges_.y.push_back(ceiling * giga);
    figure_.labels.push_back({fmt::format("{:.3g}", ridge), ridge * 0.95, ceiling * giga * 1.25});
  }

  /// Dashed, with its name below the line where no other name is; without one if it has none.
  void dashed_roof(const BandwidthRoof& roof, double ceiling, int color, bool named) {
    add_rise(roof, ceiling, color, true);
    if (named) {
      name_rise(roof, least_ * 10, 0.72);
    }
  }

  void ceiling(const std::string& name, double flops, double from, int color, bool dashed) {
    figure_.series.push_back(line({std::max(from, least_), most_}, {flops * giga, flops * giga}, color, dashed));
    ceilings_.push_back({fmt::format("{} {}", name, format_flop_rate(flops)), most_ * 0.95, flops * giga, Label::Align::right});
  }

  void points() {
    Series series{"", {}, {}, {}, {}, Series::Style::points, 7};
    for (const roofline::Point& point : roofline_.points) {
      const Interval interval = point.flops_rate.interval();
      series.x.push_back(point.intensity());
      series.y.push_back(point.flops_rate.median() * giga);
      series.low.push_back(interval.low * giga);
      series.high.push_back(interval.high * giga);
      figure_.labels.push_back({point.name, point.intensity() * 1.15, point.flops_rate.median() * giga * 0.85});
    }
    if (!series.x.empty()) {
      figure_.series.push_back(std::move(series));
    }
  }

  Figure finish() {
    name_ceilings();
    ridges_.style = Series::Style::points;
    ridges_.color = 8;
    figure_.series.push_back(ridges_);
    const std::string name = roofline_.cpu.substr(0, roofline_.cpu.find(" (family"));  // the whole is too long for a title
    figure_.title = fmt::format("{}, {}, {}", name, threads_text(roofline_.most_threads()), roofline_.date.substr(0, 10));
    figure_.x = {"operational intensity, flops per byte", true, Interval{least_, most_}};
    figure_.y = {"GFLOP/s, double precision", true, Interval{bottom_, peak_ * 2.5}};
    return std::move(figure_);
  }

 private:
  static Series line(std::vector<double> x, std::vector<double> y, int color, bool dashed) {
    return {"", std::move(x), std::move(y), {}, {}, Series::Style::line, color, dashed};
  }

  /// Up to its ridge, which is given back.
  double add_rise(const BandwidthRoof& roof, double ceiling, int color, bool dashed) {
    const double gigabytes = roof.bytes.attained() * giga, ridge = ceiling * giga / gigabytes;
    figure_.series.push_back(line({least_, ridge}, {gigabytes * least_, gigabytes * ridge}, color, dashed));
    return ridge;
  }

  void name_rise(const BandwidthRoof& roof, double at, double above) {
    const std::string name = roof.level + (roof.nontemporal ? " non-temporal" : "");
    figure_.labels.push_back({fmt::format("{} {}", name, format_bandwidth(roof.bytes.attained())), at,
                              roof.bytes.attained() * giga * at * above, Label::Align::left, true});
  }

  /// Above their lines where there is room below the next one, else below, the highest first, and none on another.
  void name_ceilings() {
    constexpr double above = 1.25, above_ridges = 1.75, room = 1.4, below = 0.82, apart = 0.72;
    std::stable_sort(ceilings_.begin(), ceilings_.end(), [](const Label& a, const Label& b) { return a.y > b.y; });
    double free = 0, next = 0;
    for (Label& label : ceilings_) {
      const double line = label.y;
      if (next == 0) {
        label.y = above_ridges * line;
        free = line;
      } else if (next >= room * line && free >= above * line) {
        label.y = above * line;
        free = line;
      } else {
        label.y = std::min(below * line, free);
        free = label.y * apart;
      }
      next = line;
      figure_.labels.push_back(label);
    }
  }

  const Roofline& roofline_;
  std::vector<Label> ceilings_;
  double peak_, least_ = 0, most_ = 0, bottom_ = 0;
  Figure figure_;
  Series ridges_;
};

double memory_ridge(const Roofline& roofline, int threads, double flops) {
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", threads);
  return memory == nullptr ? 0 : flops / memory->bytes.attained();
}

void add_levels(Picture& picture, const Roofline& roofline, int threads, double peak) {
  int color = 1;
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    if (roof.stream != "triad" || roof.threads != threads) {
      continue;
    }
    if (!roof.nontemporal) {
      picture.roof(roof, peak, color++);
    } else if (roof.level == "memory") {
      picture.dashed_roof(roof, peak, color - 1, true);
    }
  }
}

/// FMA of the other vectors, so that one sees what code without wide vectors can reach.
void add_ceilings(Picture& picture, const Roofline& roofline, int threads, const ComputeRoof& best) {
  picture.ceiling(best.name, best.ceiling(), 0.1 * memory_ridge(roofline, threads, best.ceiling()), 8, false);
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.precision == best.precision && roof.flops_per_lane == 2 && roof.fused && roof.name != best.name) {
      picture.ceiling(roof.name, roof.ceiling(), memory_ridge(roofline, threads, roof.ceiling()), 8, true);
    }
  }
  if (const GemmRoof* gemm = best_gemm(roofline, threads)) {
    picture.ceiling("dgemm of " + gemm->library.name, gemm->flops.attained(), memory_ridge(roofline, threads, gemm->flops.attained()), 2,
                    true);
  }
}

}  // namespace

Figure roofline_figure(const Roofline& roofline) {
  const int threads = roofline.most_threads();
  const ComputeRoof* best = best_compute(roofline, threads);
  if (best == nullptr || find_bandwidth(roofline, "memory", "triad", threads) == nullptr) {
    throw bad_input("a picture needs an FMA ceiling in double precision and the triad's bandwidths, which weren't measured");
  }
  Picture picture(roofline, best->ceiling());
  add_levels(picture, roofline, threads, best->ceiling());
  add_ceilings(picture, roofline, threads, *best);
  const ComputeRoof* one = best_compute(roofline, 1);
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", 1);
  if (threads > 1 && one != nullptr && memory != nullptr) {
    picture.dashed_roof(*memory, one->ceiling(), 6, false);
    picture.ceiling(fmt::format("1 thread: memory {},", format_bandwidth(memory->bytes.attained())), one->ceiling(),
                    memory_ridge(roofline, 1, one->ceiling()), 6, true);
  }
  picture.points();
  return picture.finish();
}

}  // namespace flopcast::cli
