#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "flopcast/cli/model/tables.hpp"
#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Tone;

Cell verdict_cell(CheckVerdict verdict) {
  switch (verdict) {
    case CheckVerdict::holds: return report::toned("holds", Tone::good);
    case CheckVerdict::narrow: return report::toned("narrow", Tone::bad);
    case CheckVerdict::replaced: return report::toned("replaced", Tone::bad);
    case CheckVerdict::doubtful: return report::toned("doubtful", Tone::bad);
    case CheckVerdict::too_few: return report::toned("too few", Tone::dim);
  }
  return "";
}

double share_of(std::int64_t part, std::int64_t all) { return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0; }

/// Returns the kernel's name without its number of threads and cache state, which all kernels of a check share.
std::string kernel_text(const ModelKey& key) {
  std::string text = to_string(key);
  const std::string common = fmt::format(" {} x{}", key.cache, key.threads);
  text.resize(text.size() - common.size());
  return text;
}

Columns<KernelCheck> columns() {
  const auto percent_of = [](auto value_of, const char* format) {
    return [=](const KernelCheck& kernel) {
      const double value = value_of(kernel);
      return kernel.points.empty() ? Cell("") : Cell(value, fmt::format(fmt::runtime(format), 100 * value));
    };
  };
  Columns<KernelCheck> columns;
  columns.text("kernel", "kernel", "routine with its flags", [](const KernelCheck& kernel) { return kernel_text(kernel.key); });
  columns.show<&KernelCheck::samples>();
  columns.add(numbers(shown<&KernelCheck::points>()), [](const KernelCheck& kernel) { return kernel.points.size(); });
  columns.show<&KernelCheck::runs>();
  columns.number("share_within", "within", "fraction", "share of single runs that lay within the 95 % intervals", Best::large,
                 percent_of([](const KernelCheck& kernel) { return share_of(kernel.within, kernel.runs); }, "{:.0f} %"));
  columns.add(shown<&KernelCheck::median_error>("", "error"), percent_of(std::mem_fn(&KernelCheck::median_error), "{:.1f} %"));
  columns.add(shown<&KernelCheck::high_error>("", "95th percentile"), percent_of(std::mem_fn(&KernelCheck::high_error), "{:.1f} %"));
  columns.add(shown<&KernelCheck::bias>(), percent_of(std::mem_fn(&KernelCheck::bias), "{:+.1f} %"));
  columns.show<&KernelCheck::removed>("", "replaced");
  columns.add(shown<&KernelCheck::verdict>(), [](const KernelCheck& kernel) { return verdict_cell(kernel.verdict); });
  return columns;
}

}  // namespace

std::vector<report::Column> check_columns() { return columns().headings(); }

report::Table check_table(const ModelCheck& check) { return columns().table(check.kernels); }

std::vector<std::string> remarks(const ModelCheck& check) {
  std::vector<std::string> all;
  std::int64_t points = 0, runs = 0, within = 0, removed = 0, added = 0, unchecked = 0;
  for (const KernelCheck& kernel : check.kernels) {
    points += static_cast<std::int64_t>(kernel.points.size());
    runs += kernel.runs;
    within += kernel.within;
    removed += kernel.removed;
    added += kernel.added;
    unchecked += kernel.points.empty() ? 1 : 0;
  }
  if (runs > 0) {
    all.push_back(fmt::format("{} of {} ({:.0f} %) at {} within their 95 % intervals, in {}", within, counted(runs, "run"),
                              100 * share_of(within, runs), counted(points, "point"), format_seconds(check.seconds)));
  }
  if (removed > 0) {
    all.push_back(fmt::format("{} no longer held and {} removed; {} stored in their place", counted(removed, "sample"),
                              removed == 1 ? "was" : "were", counted(added, "new sample")));
  }
  if (unchecked > 0) {
    all.push_back(
        fmt::format("{} not checked: a larger --time-budget checks more, and 'flopcast tune' samples more", counted(unchecked, "kernel")));
  }
  return all;
}

}  // namespace flopcast::cli
