#include "flopcast/cli/roofline/tables.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using roofline::Comparison;
using roofline::Difference;
using roofline::RoofName;
using roofline::Verdict;

/// Returns the names of roofs, and one line where many of a kind and number of threads follow each other: "bandwidth, 2 threads (48 roofs)".
std::vector<std::string> summary(const std::vector<RoofName>& roofs) {
  static constexpr std::ptrdiff_t many = 4;
  std::vector<std::string> lines;
  for (auto first = roofs.begin(); first != roofs.end();) {
    const auto last = std::find_if(first, roofs.end(),
                                   [first](const RoofName& roof) { return roof.kind != first->kind || roof.threads != first->threads; });
    if (last - first >= many) {
      lines.push_back(fmt::format("{}, {} ({} roofs)", first->kind, counted(first->threads, "thread"), last - first));
    } else {
      std::transform(first, last, std::back_inserter(lines), [](const RoofName& roof) { return to_string(roof); });
    }
    first = last;
  }
  return lines;
}

/// Returns a sentence if the machine was so noisy in one of the runs that hardly anything can be told apart; else nothing.
std::string noise_sentence(const roofline::RoofDrift& drift) {
  static constexpr double too_much = 0.3;
  std::string kind;
  double most = drift.all;
  for (const auto& [name, bound] : drift.by_kind) {
    if (bound >= most) {
      kind = " of " + name;
      most = bound;
    }
  }
  return most < too_much ? ""
                         : fmt::format(
                               "Undecided: roofs{} changed by up to {:.0f} % within a run, and smaller differences can't be seen. "
                               "Measure again when the machine is idle.\n",
                               kind, 100 * most);
}

/// Returns the verdict in a few sentences.
std::string headline(const Verdict& verdict) {
  if (verdict.roofs == 0) {
    return "The two runs have no roof in common.\n";
  }
  std::string text;
  if (verdict.lower + verdict.higher == 0) {
    text = fmt::format("None of {} differs beyond noise.\n", counted(verdict.roofs, "roof"));
  }
  const auto line = [&](std::size_t count, const char* direction, double ratio) {
    return count == 0 ? ""
                      : fmt::format("{} of {}: {} beyond noise, {:+.1f} % in the median.\n", count, counted(verdict.roofs, "roof"),
                                    direction, 100 * (ratio - 1));
  };
  text += line(verdict.lower, "lower", verdict.lower_ratio);
  if (verdict.lowest != nullptr) {
    text += fmt::format("The lowest is {}, {:+.1f} %.\n", to_string(static_cast<const RoofName&>(*verdict.lowest)),
                        100 * (verdict.lowest->ratio - 1));
  }
  text += line(verdict.higher, "higher", verdict.higher_ratio);
  if (verdict.undecided > 0) {
    text += fmt::format("{} of {}: undecided, as one of the runs has a single sample; a larger --time-budget takes more.\n",
                        verdict.undecided, counted(verdict.roofs, "roof"));
  }
  return text;
}

Columns<Difference> columns() {
  const auto rate_of = [](double Difference::*median) {
    return [median](const Difference& one) { return report::Cell(one.*median, fmt::format("{:.4g}", one.*median * 1e-9)); };
  };
  Columns<Difference> columns;
  columns.text("roof", "roof", "kind and name of the roof", [](const Difference& one) { return one.kind + ' ' + one.name; });
  columns.show<&RoofName::threads>();
  columns.add(shown<&Difference::before>(), rate_of(&Difference::before));
  columns.add(shown<&Difference::after>(), rate_of(&Difference::after));
  columns.add(shown<&Difference::ratio>("", "after / before"), [](const Difference& one) {
    const report::Tone tone = !one.beyond_noise() ? report::Tone::dim : one.ratio > 1 ? report::Tone::good : report::Tone::bad;
    return report::Cell(one.ratio, fmt::format("{:.3f}", one.ratio), tone);
  });
  columns.add(interval(shown<&Difference::interval>("ratio", "interval")), [](const Difference& one) {
    return report::Cell(one.interval.low, one.interval.high, fmt::format("{:.3f} to {:.3f}", one.interval.low, one.interval.high));
  });
  columns.text("verdict", "verdict", "higher, lower, within noise, or undecided where a run has one sample", [](const Difference& one) {
    return one.one_sample ? "undecided" : !one.beyond_noise() ? "within noise" : one.ratio > 1 ? "higher" : "lower";
  });
  return columns;
}

}  // namespace

report::Table comparison_table(const Comparison& comparison) { return columns().table(comparison.differences); }

std::vector<report::Column> comparison_columns() { return columns().headings(); }

std::string comparison_text(const Comparison& comparison, const CommonOptions& common) {
  std::string text = noise_sentence(comparison.drift) + headline(verdict(comparison));
  if (!comparison.settings.empty()) {
    text += "\nThe runs themselves differ:\n";
  }
  for (const std::string& line : comparison.settings) {
    text += "- " + line + '\n';
  }
  std::vector<Difference> differing;
  std::copy_if(comparison.differences.begin(), comparison.differences.end(), std::back_inserter(differing),
               [](const Difference& one) { return one.beyond_noise(); });
  if (!differing.empty()) {
    text += fmt::format("\nMedians in GFLOP/s, GB/s and GHz of what differs:\n\n{}", render(columns().table(differing), common));
  }
  text += "\nWithin a run, 95 % of roofs changed from half to half of their samples by at most";
  for (const auto& [kind, drift] : comparison.drift.by_kind) {
    text += fmt::format(" {:.1f} % ({}),", 100 * drift, kind);
  }
  text += fmt::format(" {:.1f} % (compute and bandwidth together, for gemm and points); differences as small are noise.\n",
                      100 * comparison.drift.all);
  if (!comparison.only_before.empty()) {
    text += fmt::format("\nOnly before: {}\n", fmt::join(summary(comparison.only_before), "; "));
  }
  if (!comparison.only_after.empty()) {
    text += fmt::format("\nOnly after: {}\n", fmt::join(summary(comparison.only_after), "; "));
  }
  return text;
}

}  // namespace flopcast::cli
