#include "flopcast/tasks/comparison/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <system_error>

#include "flopcast/report/result_file.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/user_folders.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Returns the interval if it says something: that of a single value doesn't.
std::optional<Interval> real_interval(const Quantity& one) {
  return one.interval && one.interval->low < one.interval->high ? one.interval : std::nullopt;
}

/// Logarithms of a value over the lower end of its interval, and of the upper end over the value.
struct Distances {
  double below = 0, above = 0;
};
Distances distances(double value, const std::optional<Interval>& interval) {
  if (!interval) {
    return {};
  }
  const double below = interval->low > 0 ? std::log(value / interval->low) : std::numeric_limits<double>::infinity();
  return {std::max(0.0, below), std::max(0.0, std::log(interval->high / value))};
}

search::Verdict verdict_of(const Interval& cost_logs, double tolerance) {
  const double same = std::log1p(tolerance);
  return cost_logs.low >= -same && cost_logs.high <= same ? search::Verdict::same
         : cost_logs.low > 0                              ? search::Verdict::slower
         : cost_logs.high < 0                             ? search::Verdict::faster
                                                          : search::Verdict::unsure;
}

/// Compares a quantity of two documents. `scale` widens intervals of one quantity to those of all quantities together.
ComparedQuantity difference(const Quantity& before, const Quantity& after, double scale, const CompareRequest& request) {
  ComparedQuantity result{before.what, before.labels,         before.unit,          before.value,
                          after.value, real_interval(before), real_interval(after), after.value / before.value};
  const bool has_intervals = result.before_interval && result.after_interval;
  const double margin = std::log1p(std::max({before.drift, after.drift, has_intervals ? 0.0 : double{request.noise}}));
  const Distances a = distances(before.value, result.before_interval), b = distances(after.value, result.after_interval);
  const double ratio = std::log(result.ratio);
  const Interval logs = {ratio - scale * std::hypot(b.below, a.above) - margin, ratio + scale * std::hypot(b.above, a.below) + margin};
  const Interval ends = {std::exp(logs.low), std::exp(logs.high)};
  if (std::isfinite(ends.high) && ends.low > 0) {
    const Interval cost_logs = usual_best(before.unit) == Best::small ? logs : Interval{-logs.high, -logs.low};
    if (has_intervals) {
      result.ratio_interval = ends;
    }
    result.verdict = verdict_of(cost_logs, request.tolerance);
    result.above_limit = result.verdict == search::Verdict::slower && cost_logs.low > std::log1p(request.fail_above);
  }
  return result;
}

/// Returns the settings that differ, such as "CPU: X; Y".
std::vector<std::string> different_settings(const Settings& before, const Settings& after) {
  std::set<std::string> names;
  for (const Settings* settings : {&before, &after}) {
    std::transform(settings->begin(), settings->end(), std::inserter(names, names.end()), [](const auto& one) { return one.first; });
  }
  const auto value = [](const Settings& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() || found->second.empty() ? "not set" : found->second;
  };
  std::vector<std::string> different;
  for (std::string name : names) {
    const std::string a = value(before, name), b = value(after, name);
    std::replace(name.begin(), name.end(), '_', ' ');
    if (a != b) {
      different.push_back(fmt::format("{}: {}; {}", name, a, b));
    }
  }
  return different;
}

constexpr const char* extension = ".json";

fs::path baselines_folder() { return user_data_folder("baselines") / "baselines"; }

/// Returns the file that keeps a baseline. Throws bad_input for a name that isn't one.
fs::path baseline_file(const std::string& name) {
  const auto fits = [](unsigned char letter) { return std::isalnum(letter) != 0 || letter == '.' || letter == '_' || letter == '-'; };
  if (name.empty() || name.front() == '.' || name.front() == '-' || !std::all_of(name.begin(), name.end(), fits)) {
    throw bad_input("'{}' can't name a baseline. A name has letters, digits, '.', '_' and '-', and begins with a letter, digit or '_'",
                    name);
  }
  return baselines_folder() / (name + extension);
}

/// Returns the file of a baseline that exists. Throws bad_input that names those that do.
std::string existing_baseline(const std::string& name) {
  const fs::path file = baseline_file(name);
  std::error_code error;
  if (fs::exists(file, error)) {
    return file.string();
  }
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(baselines_folder(), error)) {
    if (entry.path().extension() == extension) {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  throw bad_input("there is no baseline '{}'{}; 'flopcast compare --save-baseline {} FILE' makes it", name,
                  names.empty() ? "" : fmt::format("; there are {}", fmt::join(names, ", ")), name);
}

}  // namespace

std::int64_t Comparison::count(search::Verdict verdict) const {
  return std::count_if(quantities.begin(), quantities.end(), [verdict](const ComparedQuantity& one) { return one.verdict == verdict; });
}

Comparison compared(const ComparedDocument& before, const ComparedDocument& after, const CompareRequest& request) {
  if (before.kind != after.kind) {
    throw bad_input("{} is a {}, and {} a {}; documents to compare must be of one kind", before.name, before.kind, after.name, after.kind);
  }
  Comparison result{before.kind, before.name, after.name, different_settings(before.settings, after.settings)};
  result.fail_above = request.fail_above;
  result.tolerance = request.tolerance;
  result.noise = request.noise;
  std::map<std::string, const Quantity*> others;
  for (const Quantity& one : after.quantities) {
    others[one.what] = &one;
  }
  std::vector<std::pair<const Quantity*, const Quantity*>> pairs;
  for (const Quantity& one : before.quantities) {
    if (const auto other = others.find(one.what); other != others.end()) {
      pairs.emplace_back(&one, other->second);
      others.erase(other);
    } else {
      result.only_before.push_back(one.what);
    }
  }
  for (const Quantity& one : after.quantities) {
    if (others.count(one.what) > 0) {
      result.only_after.push_back(one.what);
    }
  }
  if (pairs.empty()) {
    throw bad_input("{} and {} have no time or rate in common: the first has '{}', the second '{}'", before.name, after.name,
                    result.only_before.front(), result.only_after.front());
  }
  const double scale = normal_quantile(1 - 0.025 / static_cast<double>(pairs.size())) / normal_quantile(0.975);  // Bonferroni
  for (const auto& [one, other] : pairs) {
    result.quantities.push_back(difference(*one, *other, scale, request));
    result.fails = result.fails || result.quantities.back().above_limit;
  }
  return result;
}

Comparison compare_results(const CompareRequest& request) {
  const std::string first = request.baseline ? existing_baseline(request.before) : request.before;
  const std::string name = request.baseline ? "baseline " + request.before : request.before;
  const ComparedDocument before =
      read_compared(report::read_result(first), name);  // in this order: errors name the first file that is wrong
  return compared(before, read_compared(report::read_result(request.after), request.after), request);
}

Baseline save_baseline(const SaveBaselineRequest& request) {
  const fs::path file = baseline_file(request.name);
  const std::string text = report::read_result(request.file);
  const ComparedDocument document = read_compared(text, request.file);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    throw environment_error("can't make the folder {}: {}", file.parent_path().string(), error.message());
  }
  write_file(file.string(), text);
  return {request.name, document.kind, file.string()};
}

}  // namespace flopcast
