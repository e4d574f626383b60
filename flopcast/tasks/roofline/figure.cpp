
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/roofline/figure_picture.hpp"

namespace flopcast {
namespace {

using report::Figure;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Roofline;

/// Where a ceiling meets the memory's roof of so many threads.
double memory_ridge(const Roofline& roofline, int threads, double flops) {
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", threads);
  return memory == nullptr ? 0 : flops / memory->bytes.attained();
}

Rise rise_of(const BandwidthRoof& roof, double peak, int color, bool dashed) {
  return {fmt::format("{} {}", roof.name(), format_bandwidth(roof.bytes.attained())), roof.bytes.attained() * giga,
          peak / roof.bytes.attained(), color, dashed};
}

/// The smallest ridge is given back.
double add_levels(FigurePicture& picture, const Roofline& roofline, int threads, double peak) {
  int color = 1;
  double first = std::numeric_limits<double>::infinity();
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    const bool is_memory = roof.level == "memory";
    if (roof.stream != "triad" || roof.threads != threads || (roof.nontemporal && !is_memory)) {
      continue;
    }
    if (roof.nontemporal) {
      picture.add(rise_of(roof, peak, nontemporal_color, true));
    } else {
      picture.add(rise_of(roof, peak, is_memory ? memory_color : color, false));
      first = std::min(first, peak / roof.bytes.attained());
      color += is_memory ? 0 : color == 3 ? 7 : 1;
    }
  }
  return first;
}

/// The fastest one with most threads.
const GemmRoof* gemm_of(const Roofline& roofline, const std::string& routine) {
  const GemmRoof* best = nullptr;
  for (const GemmRoof& roof : roofline.gemm) {
    if (roof.routine == routine && (best == nullptr || roof.threads > best->threads ||
                                    (roof.threads == best->threads && roof.flops.attained() > best->flops.attained()))) {
      best = &roof;
    }
  }
  return best;
}

/// Without the precision, which the axis tells.
std::string ceiling_name(const ComputeRoof& roof) {
  std::string name = roof.name;
  const std::size_t found = name.find(roof.precision + ' ');
  return found == std::string::npos ? name : name.erase(found, roof.precision.size() + 1);
}

/// FMA of the other vectors, so that one sees what code without wide vectors can reach.
void add_ceilings(FigurePicture& picture, const Roofline& roofline, const ComputeRoof& best, double first_ridge) {
  const int threads = best.threads;
  picture.add(Ceiling{ceiling_name(best), best.ceiling() * giga, first_ridge, ceiling_color, false});
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.precision == best.precision && roof.flops_per_lane == 2 && roof.fused && roof.name != best.name) {
      picture.add(Ceiling{ceiling_name(roof), roof.ceiling() * giga, memory_ridge(roofline, threads, roof.ceiling()), ceiling_color});
    }
  }
  if (const GemmRoof* gemm = gemm_of(roofline, best.precision == "single" ? "sgemm" : "dgemm")) {
    const std::string name =
        fmt::format("{} {}{}", gemm->library.name, gemm->routine, gemm->threads == threads ? "" : ", " + counted(gemm->threads, "thread"));
    const double flops = gemm->flops.attained();
    picture.add(Ceiling{name, flops * giga, std::max(memory_ridge(roofline, gemm->threads, flops), memory_ridge(roofline, threads, flops)),
                        gemm_color});
  }
}

/// "single" if gemm was searched in that one only.
std::string drawn_precision(const Roofline& roofline) {
  const bool is_single = !roofline.gemm.empty() && std::all_of(roofline.gemm.begin(), roofline.gemm.end(),
                                                               [](const GemmRoof& gemm) { return gemm.routine == "sgemm"; });
  return is_single ? "single" : "double";
}

}  // namespace

Figure roofline_figure(const Roofline& roofline) {
  const int threads = roofline.max_threads();
  const std::string precision = drawn_precision(roofline);
  const ComputeRoof* best = best_compute(roofline, threads, precision);
  if (best == nullptr || find_bandwidth(roofline, "memory", "triad", threads) == nullptr) {
    throw bad_input("a picture needs an FMA ceiling in {} precision and the triad's bandwidths, which weren't measured", precision);
  }
  FigurePicture picture(roofline, precision);
  add_ceilings(picture, roofline, *best, add_levels(picture, roofline, threads, best->ceiling()));
  const ComputeRoof* one = best_compute(roofline, 1, precision);
  const BandwidthRoof* memory = find_bandwidth(roofline, "memory", "triad", 1);
  if (threads > 1 && one != nullptr && memory != nullptr) {
    Rise rise = rise_of(*memory, one->ceiling(), one_thread_color, true);
    rise.name = "1 thread: " + rise.name;
    picture.add(rise);
    picture.add(Ceiling{"1 thread: " + ceiling_name(*one), one->ceiling() * giga, rise.ridge, one_thread_color});
  }
  return picture.finish();
}

}  // namespace flopcast
