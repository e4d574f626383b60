#include "flopcast/cli/roofline_compare.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "flopcast/cli/options.hpp"
#include "flopcast/cli/roofline_table.hpp"
#include "flopcast/core/error.hpp"
#include "flopcast/report/file.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/roofline/compare.hpp"

namespace flopcast::cli {
namespace {

using roofline::Comparison;
using roofline::Difference;
using roofline::RoofName;

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
      lines.push_back(fmt::format("{}, {} ({} roofs)", first->kind, threads_text(first->threads), last - first));
    } else {
      std::transform(first, last, std::back_inserter(lines), [](const RoofName& roof) { return to_string(roof); });
    }
    first = last;
  }
  return lines;
}

nlohmann::json to_json(const Comparison& comparison) {
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
  return {{"schema", "flopcast-roofline-comparison-1"},  {"settings", comparison.settings}, {"wander", comparison.wander.all},
          {"wander_by_kind", comparison.wander.by_kind}, {"differences", differences},      {"only_before", texts(comparison.only_before)},
          {"only_after", texts(comparison.only_after)}};
}

report::Table table_of(const Comparison& comparison) {
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
    const report::Tone tone = !differs ? report::Tone::faint : one.ratio > 1 ? report::Tone::good : report::Tone::bad;
    table.rows.push_back(
        {one.kind + ' ' + one.name, report::whole(one.threads), rate(one.before), rate(one.after),
         report::Cell(one.ratio, fmt::format("{:.3f}", one.ratio), tone),
         report::Cell(one.interval.low, one.interval.high, fmt::format("{:.3f} to {:.3f}", one.interval.low, one.interval.high)),
         !differs        ? "within noise"
         : one.ratio > 1 ? "higher"
                         : "lower"});
  }
  return table;
}

std::string text_of(const Comparison& comparison, const CommonOptions& common) {
  std::string text;
  for (const std::string& line : comparison.settings) {
    text += "- " + line + '\n';
  }
  text += fmt::format("{}Medians in GFLOP/s, GB/s and GHz:\n\n{}", text.empty() ? "" : "\n", render(table_of(comparison), common));
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
  const nlohmann::json document = report::read_document(file, roofline::schema);
  try {
    return document.get<roofline::Roofline>();
  } catch (const Error& error) {
    throw bad_input("{}: {}", file, error.what());
  }
}

void compare_rooflines(const std::string& before, const std::string& after, const CommonOptions& common) {
  const roofline::Roofline first = read_roofline(before);  // in this order: errors name the first file that is wrong
  const Comparison comparison = roofline::compare(first, read_roofline(after));
  if (common.json) {
    emit(to_json(comparison), common);
  } else {
    emit(common.csv ? render(table_of(comparison), common) : text_of(comparison, common), common);
  }
}

}  // namespace flopcast::cli
