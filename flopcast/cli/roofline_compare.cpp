#include "flopcast/cli/roofline_compare.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "flopcast/cli/options.hpp"
#include "flopcast/cli/roofline_table.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/compare.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::cli {
namespace {

using roofline::Comparison;
using roofline::Difference;
using roofline::RoofName;
using roofline::Verdict;

std::vector<std::string> texts(const std::vector<RoofName>& roofs) {
  std::vector<std::string> texts;
  std::transform(roofs.begin(), roofs.end(), std::back_inserter(texts), [](const RoofName& roof) { return to_string(roof); });
  return texts;
}

/// The same in few words where many of a kind and number of threads follow each other: "bandwidth, 2 threads (48 roofs)".
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

std::string roofs_text(std::size_t count) { return fmt::format("{} roof{}", count, count == 1 ? "" : "s"); }

/// What a reader wants to know first.
std::string headline(const Verdict& verdict) {
  if (verdict.roofs == 0) {
    return "The two runs have no roof in common.\n";
  }
  std::string text;
  if (verdict.lower + verdict.higher == 0) {
    text = fmt::format("None of {} differs beyond noise.\n", roofs_text(verdict.roofs));
  }
  const auto line = [&](std::size_t count, const char* direction, double ratio) {
    return count == 0 ? ""
                      : fmt::format("{} of {}: {} beyond noise, {:+.1f} % in the median.\n", count, roofs_text(verdict.roofs), direction,
                                    100 * (ratio - 1));
  };
  text += line(verdict.lower, "lower", verdict.lower_ratio);
  if (verdict.lowest != nullptr) {
    text += fmt::format("The lowest is {}, {:+.1f} %.\n", to_string(static_cast<const RoofName&>(*verdict.lowest)),
                        100 * (verdict.lowest->ratio - 1));
  }
  text += line(verdict.higher, "higher", verdict.higher_ratio);
  if (verdict.undecided > 0) {
    text += fmt::format("{} of {}: undecided, as one of the runs has a single sample; a larger --time-budget takes more.\n",
                        verdict.undecided, roofs_text(verdict.roofs));
  }
  return text;
}

nlohmann::json to_json(const Comparison& comparison) {
  const Verdict found = verdict(comparison);
  nlohmann::json differences = nlohmann::json::array();
  for (const Difference& one : comparison.differences) {
    differences.push_back({{"kind", one.kind},
                           {"name", one.name},
                           {"threads", one.threads},
                           {"before", one.before},
                           {"after", one.after},
                           {"ratio", one.ratio},
                           {"interval", {one.interval.low, one.interval.high}},
                           {"beyond_noise", one.beyond_noise()}});
  }
  return {{"schema", "flopcast-roofline-comparison-1"},
          {"roofs", found.roofs},
          {"lower", found.lower},
          {"higher", found.higher},
          {"undecided", found.undecided},
          {"settings", comparison.settings},
          {"wander", comparison.wander.all},
          {"wander_by_kind", comparison.wander.by_kind},
          {"differences", differences},
          {"only_before", texts(comparison.only_before)},
          {"only_after", texts(comparison.only_after)}};
}

/// Rows of all roofs, or only of those that differ beyond noise.
report::Table table_of(const Comparison& comparison, bool all) {
  report::Table table;
  table.columns = {{"roof", report::Align::left},
                   {"threads"},
                   {"before"},
                   {"after"},
                   {"after / before", report::Align::right, "ratio"},
                   {"interval", report::Align::right, "ratio", true},
                   {"verdict", report::Align::left}};
  const auto rate = [](double value) { return report::Cell(value, fmt::format("{:.4g}", value * 1e-9)); };
  for (const Difference& one : comparison.differences) {
    const bool differs = one.beyond_noise();
    if (!differs && !all) {
      continue;
    }
    const report::Tone tone = !differs ? report::Tone::dim : one.ratio > 1 ? report::Tone::good : report::Tone::bad;
    table.rows.push_back(
        {one.kind + ' ' + one.name, report::whole(one.threads), rate(one.before), rate(one.after),
         report::Cell(one.ratio, fmt::format("{:.3f}", one.ratio), tone),
         report::Cell(one.interval.low, one.interval.high, fmt::format("{:.3f} to {:.3f}", one.interval.low, one.interval.high)),
         one.one_sample  ? "undecided"
         : !differs      ? "within noise"
         : one.ratio > 1 ? "higher"
                         : "lower"});
  }
  return table;
}

std::string text_of(const Comparison& comparison, const CommonOptions& common) {
  std::string text = headline(verdict(comparison));
  if (!comparison.settings.empty()) {
    text += "\nThe runs themselves differ:\n";
  }
  for (const std::string& line : comparison.settings) {
    text += "- " + line + '\n';
  }
  if (const report::Table differing = table_of(comparison, false); !differing.rows.empty()) {
    text += fmt::format("\nMedians in GFLOP/s, GB/s and GHz of what differs:\n\n{}", render(differing, common));
  }
  text += "\nWithin a run, 95 % of roofs changed from half to half of their samples by at most";
  for (const auto& [kind, wander] : comparison.wander.by_kind) {
    text += fmt::format(" {:.1f} % ({}),", 100 * wander, kind);
  }
  text += fmt::format(" {:.1f} % (compute and bandwidth together, for gemm and points); differences as small are noise.\n",
                      100 * comparison.wander.all);
  if (!comparison.only_before.empty()) {
    text += fmt::format("\nOnly before: {}\n", fmt::join(summary(comparison.only_before), "; "));
  }
  if (!comparison.only_after.empty()) {
    text += fmt::format("\nOnly after: {}\n", fmt::join(summary(comparison.only_after), "; "));
  }
  return text;
}

}  // namespace

roofline::Roofline read_roofline(const std::string& file) {
  const nlohmann::json document = read_document(file, roofline::schema);
  try {
    return document.get<roofline::Roofline>();
  } catch (const Error& error) {
    throw bad_input("{}: {}", file, error.what());
  }
}

bool compare_rooflines(const std::string& before, const std::string& after, const CommonOptions& common) {
  const roofline::Roofline first = read_roofline(before);  // in this order: errors name the first file that is wrong
  const Comparison comparison = roofline::compare(first, read_roofline(after));
  if (common.json) {
    emit(to_json(comparison), common);
  } else {
    emit(common.csv ? render(table_of(comparison, true), common) : text_of(comparison, common), common);
  }
  return verdict(comparison).lower == 0;
}

}  // namespace flopcast::cli
