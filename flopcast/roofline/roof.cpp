#include "flopcast/roofline/roof.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

#include "flopcast/support/combinations.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {
namespace {

std::vector<std::int64_t> powers_of_two(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= 2) {
    values.push_back(value);
  }
  return values;
}

void require_distinct(const char* name, const std::vector<std::int64_t>& values) {
  if (values.empty() || std::set<std::int64_t>(values.begin(), values.end()).size() < values.size()) {
    throw bad_input("space of dgemm: parameter {} has the values [{}], expected at least one and none twice", name,
                    fmt::join(values, ", "));
  }
}

}  // namespace

std::string to_string(const GemmShape& shape) { return fmt::format("{}x{}x{}", shape.m, shape.n, shape.k); }

std::string precision(std::string_view gemm) { return gemm == "sgemm" ? "single" : "double"; }

int Roofline::max_threads() const {
  int max = 1;
  for (const ComputeRoof& roof : compute) {
    max = std::max(max, roof.threads);
  }
  return max;
}

const ComputeRoof* best_compute(const Roofline& roofline, int threads, const std::string& precision) {
  const ComputeRoof* best = nullptr;
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.threads == threads && roof.precision == precision && roof.flops_per_lane == 2 &&
        (best == nullptr || roof.ceiling() > best->ceiling())) {
      best = &roof;
    }
  }
  return best;
}

const GemmRoof* best_gemm(const Roofline& roofline, int threads) {
  const GemmRoof* best = nullptr;
  for (const GemmRoof& roof : roofline.gemm) {
    if (roof.threads == threads && roof.routine == "dgemm" && (best == nullptr || roof.flops.attained() > best->flops.attained())) {
      best = &roof;
    }
  }
  return best;
}

const BandwidthRoof* find_bandwidth(const Roofline& roofline, const std::string& level, const std::string& stream, int threads,
                                    bool nontemporal) {
  const auto found = std::find_if(roofline.bandwidth.begin(), roofline.bandwidth.end(), [&](const BandwidthRoof& roof) {
    return roof.level == level && roof.stream == stream && roof.threads == threads && roof.nontemporal == nontemporal;
  });
  return found == roofline.bandwidth.end() ? nullptr : &*found;
}

std::string level_of(std::span<const CacheLevel> levels, double bytes) {
  const auto holds = [&](const CacheLevel& level) { return bytes <= static_cast<double>(level.capacity_bytes); };
  const auto found = std::find_if(levels.begin(), levels.end(), holds);
  return found == levels.end() ? "memory" : found->name;
}

Bound bound_of(const Roofline& roofline, const Point& point) {
  const int threads = std::min(std::max(point.threads, 1), roofline.max_threads());
  const BandwidthRoof* fastest = point.level.empty() ? find_bandwidth(roofline, "memory", "triad", threads) : nullptr;
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    const bool counts = roof.level == point.level && roof.threads == threads && !roof.nontemporal;
    fastest = counts && (fastest == nullptr || roof.bytes.attained() > fastest->bytes.attained()) ? &roof : fastest;
  }
  Bound bound;
  if (fastest != nullptr) {
    bound = {fastest->name(), fastest->bytes.attained() * point.intensity()};
  }
  if (const ComputeRoof* compute = best_compute(roofline, threads, point.precision);
      compute != nullptr && (bound.flops <= 0 || compute->ceiling() < bound.flops)) {
    bound = {compute->name, compute->ceiling()};
  }
  return bound;
}

std::vector<std::string> impossible_figures(const Roofline& roofline) {
  constexpr double error = 1.03;
  std::vector<std::string> sentences;
  const auto check = [&](const std::string& what, double rate, const std::string& roof, double limit) {
    if (limit > 0 && rate > error * limit) {
      sentences.push_back(
          fmt::format("{}{} makes {}, more than {} allows ({}), which was measured in a slower moment; measure again "
                      "when the machine is idle",
                      noisy_machine, what, format_flop_rate(rate), roof, format_flop_rate(limit)));
    }
  };
  for (const TheoreticalPeak& peak : roofline.peaks) {
    if (peak.name != "sustained clock") {  // the nominal clock is surpassed by turbo
      continue;
    }
    const std::string roof = "the sustained clock's peak of " + counted(peak.threads, "thread");
    if (const ComputeRoof* loop = best_compute(roofline, peak.threads)) {
      check("the " + loop->name + " loop", loop->ceiling(), roof, peak.flops);
    }
    if (const GemmRoof* gemm = best_gemm(roofline, peak.threads)) {
      check("dgemm of " + gemm->library.name, gemm->flops.attained(), roof, peak.flops);
    }
  }
  for (const Point& point : roofline.points) {
    const Bound bound = bound_of(roofline, point);
    check(point.name, point.flops_rate.median(), bound.name, bound.flops);
  }
  return sentences;
}

std::int64_t GemmSpace::elements() const {
  std::int64_t most = 0;
  for (const GemmShape& shape : shapes) {
    most = std::max(most, shape.elements());
  }
  return most;
}

GemmSpace gemm_space(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n, const std::vector<std::int64_t>& k) {
  constexpr std::size_t max_shapes = 100'000;
  if (combination_count<std::int64_t>({m, n, k}, max_shapes + 1) > max_shapes) {
    throw bad_input("m, n and k make more than {} shapes of gemm; give fewer values, or larger steps", max_shapes);
  }
  require_distinct("m", m);
  require_distinct("n", n);
  require_distinct("k", k);
  GemmSpace result{"own", {}};
  for_each_combination<std::int64_t>({m, n, k}, [&](const auto& sizes) { result.shapes.push_back({sizes[0], sizes[1], sizes[2]}); });
  return result;
}

GemmSpace gemm_space(std::string_view name) {
  GemmSpace space;
  if (name == "full") {
    space = gemm_space(powers_of_two(64, 4096), powers_of_two(64, 4096), powers_of_two(2, 2048));
  } else if (name == "reduced" || name == "brief") {
    space = gemm_space({500, 1000, 2000, 4000}, powers_of_two(512, 4096), powers_of_two(64, 2048));
  } else {
    throw usage_error("space '{}' given, expected brief, reduced or full", name);
  }
  if (name == "brief") {
    std::erase_if(space.shapes, [](const GemmShape& shape) { return shape.flops() > brief_flops; });
  }
  space.name = name;
  return space;
}

}  // namespace flopcast::roofline
