#include "flopcast/roofline/compare.hpp"

#include <fmt/format.h>

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

Difference difference(const Key& key, const Rates& before, const Rates& after) {
  const Interval a = before.interval(), b = after.interval();
  return {std::get<0>(key),
          std::get<1>(key),
          std::get<2>(key),
          before.median(),
          after.median(),
          after.median() / before.median(),
          {b.low / a.high, b.high / a.low}};
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
      result.differences.push_back(difference(key, *rates, *other->second));
    }
    others.erase(other);
  }
  for (const auto& [key, rates] : others) {
    result.only_after.push_back(text(key));
  }
  return result;
}

}  // namespace flopcast::roofline
