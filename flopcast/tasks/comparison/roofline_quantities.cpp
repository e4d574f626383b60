#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/support/units.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"

namespace flopcast {
namespace {

using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Rates;
using roofline::Roofline;

std::string levels_text(const Roofline& roofline) {
  std::string text;
  for (const CacheLevel& level : roofline.levels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name, format_bytes(static_cast<double>(level.capacity_bytes)));
  }
  return text;
}

std::string libraries_text(const Roofline& roofline) {
  std::vector<std::string> libraries;  // each once, however many measurements it has
  for (const GemmRoof& roof : roofline.gemm) {
    std::string text = roof.library.name;
    for (const std::string& part : {roof.library.threading, roof.library.version, roof.library.kernels, roof.setting}) {
      text += part.empty() ? "" : " " + part;
    }
    if (std::find(libraries.begin(), libraries.end(), text) == libraries.end()) {
      libraries.push_back(std::move(text));
    }
  }
  return libraries.empty() ? "none" : fmt::format("{}", fmt::join(libraries, ", "));
}

/// Returns the widest loop of multiplications and additions in double precision for each number of threads.
std::map<int, const ComputeRoof*> widest_loops(const Roofline& roofline) {
  std::map<int, const ComputeRoof*> widest;
  for (const ComputeRoof& roof : roofline.compute) {
    if (roof.flops_per_lane == 2 && roof.precision == "double" && !roof.clocks.empty()) {
      const ComputeRoof*& best = widest[roof.threads];
      best = best == nullptr || roof.lanes > best->lanes ? &roof : best;
    }
  }
  return widest;
}

/// Returns the fastest gemm of each routine and number of threads, whatever its library.
std::map<std::pair<std::string, int>, const GemmRoof*> best_gemms(const Roofline& roofline) {
  std::map<std::pair<std::string, int>, const GemmRoof*> bests;
  for (const GemmRoof& roof : roofline.gemm) {
    if (!roof.flops.samples.empty()) {
      const GemmRoof*& best = bests[{roof.routine, roof.threads}];
      best = best == nullptr || roof.flops.attained() > best->flops.attained() ? &roof : best;
    }
  }
  return bests;
}

/// Quantities of a roofline, and the changes of those whose samples lie before and after all others.
class Roofs {
 public:
  /// Adds a roof of a kind. Roofs of gemm and points are measured at one time only.
  void add(const std::string& kind, const std::string& name, int threads, const Rates& rates, const char* unit = "flop/s") {
    if (rates.samples.empty()) {
      return;
    }
    roofs_.push_back({fmt::format("{} {}, {}", kind, name, counted(threads, "thread")), rates.median(), rates.interval(), unit});
    roofs_.back().labels = {{"quantity", kind}, {"name", name}, {"threads", std::to_string(threads)}};
    kinds_.push_back(kind);
    if (rates.samples.size() > 1 && (kind == "compute" || kind == "bandwidth" || kind == "clock")) {
      changes_[kind].push_back(change_within(rates));
      if (kind != "clock") {
        changes_[""].push_back(changes_[kind].back());
      }
    }
  }

  /// Returns the roofs with the drift of their kinds: 95 % of the roofs change at most so much within a run. Kinds that are measured at one
  /// time get the drift of compute and bandwidth roofs together.
  std::vector<Quantity> take() {
    for (std::size_t i = 0; i < roofs_.size(); ++i) {
      const auto own = changes_.find(kinds_[i]);
      const std::vector<double>& changes = own == changes_.end() ? changes_[""] : own->second;
      roofs_[i].drift = changes.empty() ? 0 : std::exp(quantile(changes, 0.95)) - 1;
    }
    return std::move(roofs_);
  }

 private:
  /// Returns the difference between the medians of the first and the second half of the samples, as the absolute logarithm of their ratio.
  static double change_within(const Rates& rates) {
    const auto half = static_cast<std::ptrdiff_t>(rates.samples.size() / 2);
    const Rates first{{rates.samples.begin(), rates.samples.begin() + half}}, second{{rates.samples.begin() + half, rates.samples.end()}};
    return std::fabs(std::log(second.median() / first.median()));
  }

  std::vector<Quantity> roofs_;
  std::vector<std::string> kinds_;
  std::map<std::string, std::vector<double>> changes_;  ///< kinds with their changes; "" stands for compute and bandwidth together
};

}  // namespace

std::vector<Quantity> roofline_quantities(const Roofline& roofline, Settings& settings) {
  settings["caches"] = levels_text(roofline);
  settings["libraries"] = libraries_text(roofline);
  settings["cpus"] = counted(roofline.cpus.size(), "CPU");
  Roofs roofs;
  for (const ComputeRoof& roof : roofline.compute) {
    roofs.add("compute", roof.name, roof.threads, roof.flops);
  }
  for (const roofline::BandwidthRoof& roof : roofline.bandwidth) {
    roofs.add("bandwidth", roof.name(), roof.threads, roof.bytes, "B/s");
  }
  for (const roofline::BandwidthRoof& roof : roofline.triad_lengths) {
    roofs.add("bandwidth", "triad of " + format_bytes(static_cast<double>(roof.working_set_bytes)), roof.threads, roof.bytes, "B/s");
  }
  for (const auto& [threads, roof] : widest_loops(roofline)) {
    roofs.add("clock", "widest FMA loop", threads, {roof->clocks}, "Hz");
  }
  for (const GemmRoof& roof : roofline.gemm) {
    roofs.add(roof.routine, roof.library.name + (roof.library.threading.empty() ? "" : " " + roof.library.threading), roof.threads,
              roof.flops);
  }
  for (const auto& [of, roof] : best_gemms(roofline)) {
    roofs.add("best", of.first, of.second, roof->flops);
  }
  for (const roofline::Point& point : roofline.points) {
    roofs.add("point", point.name, point.threads, point.flops_rate);
  }
  return roofs.take();
}

}  // namespace flopcast
