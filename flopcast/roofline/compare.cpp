#include "flopcast/roofline/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "flopcast/roofline/roof.hpp"
#include "flopcast/roofline/roof_fields.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {
namespace {

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

std::string option_text(const nlohmann::json& value) {
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  if (value.is_string()) {
    return value.get_ref<const std::string&>().empty() ? "not set" : value.get<std::string>();
  }
  if (value.is_array() && !value.empty()) {
    std::vector<std::string> parts;
    std::transform(value.begin(), value.end(), std::back_inserter(parts), option_text);
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  return value.empty() ? "not set" : value.dump();  // null and [] count as empty, numbers don't
}

/// Returns options by name, without those that say nothing about the rates or are reported as CPUs used and affinity.
std::map<std::string, std::string> option_texts(const EffectiveOptions& options) {
  std::map<std::string, std::string> texts;
  const nlohmann::json members = options;
  for (const auto& [name, value] : members.items()) {
    if (name != "seed" && name != "time_budget" && name != "threads" && name != "affinity") {
      texts[name] = option_text(value);
    }
  }
  return texts;
}

/// Returns the circumstances of two measurements that differ and may explain different roofs, such as "CPU: X; Y".
std::vector<std::string> different_settings(const Roofline& before, const Roofline& after) {
  std::vector<std::string> settings;
  const auto compare = [&settings](std::string name, const std::string& a, const std::string& b) {
    if (a != b) {
      std::replace(name.begin(), name.end(), '_', ' ');
      settings.push_back(fmt::format("{}: {}; {}", name, a, b));
    }
  };
  compare("CPU", before.cpu, after.cpu);
  compare("date", before.date, after.date);
  compare("CPUs used", fmt::format("{}", before.cpus.size()), fmt::format("{}", after.cpus.size()));
  compare("affinity", before.affinity, after.affinity);
  compare("caches", levels_text(before), levels_text(after));
  compare("libraries", libraries_text(before), libraries_text(after));
  std::map<std::string, std::array<std::string, 2>> options;
  for (const auto& [name, value] : option_texts(before.options)) {
    options[name] = {value, "not set"};
  }
  for (const auto& [name, value] : option_texts(after.options)) {
    options.try_emplace(name, std::array<std::string, 2>{"not set", ""}).first->second[1] = value;
  }
  for (const auto& [name, values] : options) {
    compare(name, values[0], values[1]);
  }
  return settings;
}

struct Roof {
  RoofName name;
  Rates rates;
};

std::string library_name(const GemmRoof& roof) {
  return roof.library.name + (roof.library.threading.empty() ? "" : " " + roof.library.threading);
}

/// Returns for every number of threads the widest loop of multiplications and additions in double precision.
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

std::vector<Roof> compute_roofs(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const ComputeRoof& roof : roofline.compute) {
    roofs.push_back({{"compute", roof.name, roof.threads}, roof.flops});
  }
  return roofs;
}

std::vector<Roof> bandwidth_roofs(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    roofs.push_back({{"bandwidth", roof.name(), roof.threads}, roof.bytes});
  }
  for (const BandwidthRoof& roof : roofline.triad_lengths) {
    roofs.push_back({{"bandwidth", "triad of " + format_bytes(static_cast<double>(roof.working_set_bytes)), roof.threads}, roof.bytes});
  }
  return roofs;
}

std::vector<Roof> clock_roofs(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const auto& [threads, roof] : widest_loops(roofline)) {
    roofs.push_back({{"clock", "widest FMA loop", threads}, {roof->clocks}});
  }
  return roofs;
}

std::vector<Roof> gemm_roofs(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const GemmRoof& roof : roofline.gemm) {
    roofs.push_back({{roof.routine, library_name(roof), roof.threads}, roof.flops});
  }
  return roofs;
}

std::vector<Roof> point_roofs(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const Point& point : roofline.points) {
    roofs.push_back({{"point", point.name, point.threads}, point.flops_rate});
  }
  return roofs;
}

/// Returns the roofs of all kinds; the second and further ones of a name get a number.
std::vector<Roof> all_roofs(const Roofline& roofline) {
  std::vector<Roof> all;
  std::map<RoofName, int> seen;
  for (const auto& roofs_of_kind : {compute_roofs, bandwidth_roofs, clock_roofs, gemm_roofs, point_roofs}) {
    for (Roof& roof : roofs_of_kind(roofline)) {
      if (const int count = ++seen[roof.name]; count > 1) {
        roof.name.name += fmt::format(" ({})", count);
      }
      all.push_back(std::move(roof));
    }
  }
  return all;
}

/// Returns the difference between the medians of the first and the second half of the samples, as the absolute logarithm of their ratio.
double change_within(const Rates& rates) {
  const auto half = static_cast<std::ptrdiff_t>(rates.samples.size() / 2);
  const Rates first{{rates.samples.begin(), rates.samples.begin() + half}}, second{{rates.samples.begin() + half, rates.samples.end()}};
  return std::fabs(std::log(second.median() / first.median()));
}

/// Computes the change of rates from the roofs whose samples lie before and after all other measurements. Roofs of gemm and of points were
/// measured at one time only.
RoofDrift drift_of(const std::vector<Roof>& before, const std::vector<Roof>& after) {
  std::vector<double> all;
  std::map<std::string, std::vector<double>> by_kind;
  for (const std::vector<Roof>* roofs : {&before, &after}) {
    for (const auto& [name, rates] : *roofs) {
      const std::string& kind = name.kind;
      const bool rate = kind == "compute" || kind == "bandwidth";
      if ((rate || kind == "clock") && rates.samples.size() > 1) {
        const double change = change_within(rates);
        by_kind[kind].push_back(change);
        if (rate) {
          all.push_back(change);
        }
      }
    }
  }
  const auto bound = [](const std::vector<double>& changes) { return changes.empty() ? 0 : std::exp(quantile(changes, 0.95)) - 1; };
  RoofDrift drift{bound(all), {}};
  for (const auto& [kind, changes] : by_kind) {
    drift.by_kind[kind] = bound(changes);
  }
  return drift;
}

Difference difference(const RoofName& name, const Rates& before, const Rates& after, const RoofDrift& drifts) {
  const Interval a = before.interval(), b = after.interval();
  const double drift = drifts.of(name.kind);
  return {name,
          before.median(),
          after.median(),
          after.median() / before.median(),
          {b.low / a.high / (1 + drift), b.high / a.low * (1 + drift)},
          std::min(before.samples.size(), after.samples.size()) < 2};
}

/// Returns the fastest gemm of each routine and number of threads.
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

/// Adds the differences of the roofs that both rooflines have, and names the roofs of one only.
void compare_roofs(const std::vector<Roof>& before, const std::vector<Roof>& after, Comparison& result) {
  std::map<RoofName, const Rates*> others;
  for (const auto& [name, rates] : after) {
    others[name] = &rates;
  }
  for (const auto& [name, rates] : before) {
    const auto other = others.find(name);
    if (other == others.end()) {
      result.only_before.push_back(name);
      continue;
    }
    if (!rates.samples.empty() && !other->second->samples.empty()) {
      result.differences.push_back(difference(name, rates, *other->second, result.drift));
    }
    others.erase(other);
  }
  for (const auto& [name, rates] : after) {
    if (others.count(name) > 0) {
      result.only_after.push_back(name);
    }
  }
}

/// Adds the differences of the best gemms where the best is that of another library.
void compare_best_gemms(const Roofline& before, const Roofline& after, Comparison& result) {
  const auto their_best = best_gemms(after);
  for (const auto& [of, best] : best_gemms(before)) {
    const auto other = their_best.find(of);
    if (other != their_best.end() && library_name(*best) != library_name(*other->second)) {
      const RoofName name = {"best " + of.first, library_name(*best) + "; " + library_name(*other->second), of.second};
      result.differences.push_back(difference(name, best->flops, other->second->flops, result.drift));
    }
  }
}

}  // namespace

double RoofDrift::of(const std::string& kind) const {
  const auto found = by_kind.find(kind);
  return found == by_kind.end() ? all : found->second;
}

Verdict verdict(const Comparison& comparison) {
  Verdict result;
  std::vector<double> lower, higher;
  for (const Difference& one : comparison.differences) {
    result.undecided += one.one_sample ? 1 : 0;
    if (one.is_lower()) {
      lower.push_back(one.ratio);
      result.lowest = result.lowest == nullptr || one.ratio < result.lowest->ratio ? &one : result.lowest;
    } else if (one.is_higher()) {
      higher.push_back(one.ratio);
    }
  }
  result.roofs = comparison.differences.size();
  result.lower = lower.size();
  result.higher = higher.size();
  result.lower_ratio = lower.empty() ? 1 : median(lower);
  result.higher_ratio = higher.empty() ? 1 : median(higher);
  return result;
}

Comparison compare(const Roofline& before, const Roofline& after) {
  Comparison result;
  result.settings = different_settings(before, after);
  const std::vector<Roof> ours = all_roofs(before), theirs = all_roofs(after);
  result.drift = drift_of(ours, theirs);
  compare_roofs(ours, theirs, result);
  compare_best_gemms(before, after, result);
  return result;
}

}  // namespace flopcast::roofline
