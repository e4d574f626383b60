#include "flopcast/roofline/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "flopcast/core/units.hpp"

namespace flopcast::roofline {
namespace {

using Key = std::tuple<std::string, std::string, int>;  // kind, name, threads

/// The roofs of a roofline, in its order.
std::vector<std::pair<Key, const Rates*>> roofs(const Roofline& roofline) {
  std::vector<std::pair<Key, const Rates*>> all;
  for (const ComputeRoof& roof : roofline.compute) {
    all.push_back({{"compute", roof.name, roof.threads}, &roof.flops});
  }
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    all.push_back({{"bandwidth", roof.name(), roof.threads}, &roof.bytes});
  }
  for (const GemmRoof& roof : roofline.gemm) {
    all.push_back({{roof.routine, roof.library.name + (roof.library.threading.empty() ? "" : " " + roof.library.threading), roof.threads},
                   &roof.flops});
  }
  for (const Point& point : roofline.points) {
    all.push_back({{"point", point.name, point.threads}, &point.flops_rate});
  }
  return all;
}

/// By how much the medians of the first and the second half of the samples differ, as the logarithm of their ratio.
double change_within(const Rates& rates) {
  const auto half = static_cast<std::ptrdiff_t>(rates.samples.size() / 2);
  const Rates first{{rates.samples.begin(), rates.samples.begin() + half}}, second{{rates.samples.begin() + half, rates.samples.end()}};
  return std::fabs(std::log(second.median() / first.median()));
}

/// Of the roofs whose samples lie before and after everything else that was measured; those of gemm and of points are of one moment.
double wander_of(const Roofline& before, const Roofline& after) {
  std::vector<double> changes;
  const auto add = [&changes](const Rates& rates) {
    if (rates.samples.size() > 1) {
      changes.push_back(change_within(rates));
    }
  };
  for (const Roofline* roofline : {&before, &after}) {
    for (const ComputeRoof& roof : roofline->compute) {
      add(roof.flops);
    }
    for (const BandwidthRoof& roof : roofline->bandwidth) {
      add(roof.bytes);
    }
  }
  return changes.empty() ? 0 : std::exp(quantile(changes, 0.95)) - 1;
}

Difference difference(const Key& key, const Rates& before, const Rates& after, double wander) {
  const Interval a = before.interval(), b = after.interval();
  return {std::get<0>(key),
          std::get<1>(key),
          std::get<2>(key),
          before.median(),
          after.median(),
          after.median() / before.median(),
          {b.low / a.high / (1 + wander), b.high / a.low * (1 + wander)}};
}

std::string text(const Key& key) {
  const int threads = std::get<2>(key);
  return fmt::format("{} {}, {} thread{}", std::get<0>(key), std::get<1>(key), threads, threads == 1 ? "" : "s");
}

std::string levels_text(const Roofline& roofline) {
  std::string text;
  for (const CacheLevel& level : roofline.levels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name, format_bytes(static_cast<double>(level.capacity_bytes)));
  }
  return text;
}

std::string libraries_text(const Roofline& roofline) {
  std::string text;
  for (const GemmRoof& roof : roofline.gemm) {
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", roof.library.name, roof.library.version,
                        roof.library.kernels.empty() ? "" : " " + roof.library.kernels, roof.setting.empty() ? "" : " " + roof.setting);
  }
  return text;
}

}  // namespace

Comparison compare(const Roofline& before, const Roofline& after) {
  Comparison result;
  const auto setting = [&result](const char* name, const std::string& a, const std::string& b) {
    if (a != b) {
      result.settings.push_back(fmt::format("{}: {}; {}", name, a, b));
    }
  };
  setting("CPU", before.cpu, after.cpu);
  setting("date", before.date, after.date);
  setting("CPUs used", fmt::format("{}", before.cpus.size()), fmt::format("{}", after.cpus.size()));
  setting("affinity", before.affinity, after.affinity);
  setting("caches", levels_text(before), levels_text(after));
  setting("libraries", libraries_text(before), libraries_text(after));

  result.wander = wander_of(before, after);
  std::map<Key, const Rates*> others;
  for (const auto& [key, rates] : roofs(after)) {
    others[key] = rates;
  }
  for (const auto& [key, rates] : roofs(before)) {
    const auto other = others.find(key);
    if (other == others.end()) {
      result.only_before.push_back(text(key));
      continue;
    }
    if (!rates->samples.empty() && !other->second->samples.empty()) {
      result.differences.push_back(difference(key, *rates, *other->second, result.wander));
    }
    others.erase(other);
  }
  for (const auto& [key, rates] : others) {
    result.only_after.push_back(text(key));
  }
  return result;
}

}  // namespace flopcast::roofline
