#include "flopcast/cli/roofline/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {

using report::Cell;
using report::Column;
using report::Table;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Rates;
using roofline::Roofline;

namespace {

/// Returns half the width of the median's 95 % interval in percent of the median. Beyond 100 %, a number would say no more.
std::string spread(const Rates& rates) {
  if (rates.samples.size() == 1) {
    return "one sample";
  }
  const Interval interval = rates.interval();
  const double percent = 50 * (interval.high - interval.low) / rates.median();
  return percent > 100 ? "> 100 %" : fmt::format("{:.1f} %", percent);
}

Column threads_column(int threads) {
  const std::string title = counted(threads, "thread");
  return titled(column<"roofline">("THREADS"), title, title);
}

}  // namespace

std::vector<int> thread_counts(const Roofline& roofline) {
  std::set<int> counts;
  for (const ComputeRoof& roof : roofline.compute) {
    counts.insert(roof.threads);
  }
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    counts.insert(roof.threads);
  }
  return {counts.begin(), counts.end()};
}

std::string library_text(const LibraryIdentity& library) {
  return fmt::format("{} {}{}", library.name, library.version, library.threading.empty() ? "" : " " + library.threading);
}

Cell percent(double share) { return {share, fmt::format("{:.1f} %", 100 * share)}; }

Table compute_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  Table table;
  table.columns = columns<"roofline">({"ceiling"});
  for (const int threads : counts) {
    table.columns.push_back(threads_column(threads));
  }
  add_columns<"roofline">(table.columns, {"+-", "per cycle", "clock"});
  for (const ComputeRoof& first : roofline.compute) {
    if (first.threads != counts.front()) {
      continue;
    }
    std::vector<Cell> row = {first.name};
    for (const int threads : counts) {
      const auto found = std::find_if(roofline.compute.begin(), roofline.compute.end(),
                                      [&](const ComputeRoof& roof) { return roof.threads == threads && roof.name == first.name; });
      row.emplace_back(found == roofline.compute.end() ? Cell("") : Cell(format_flop_rate(found->ceiling())));
    }
    row.emplace_back(spread(first.flops));
    row.emplace_back(fmt::format("{:.2f}", first.instructions_per_cycle));
    row.emplace_back(fmt::format("{:.2f} GHz", median(first.clocks) * 1e-9));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table bandwidth_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  Table table;
  table.columns = columns<"roofline">({"level", "stream"});
  for (const int threads : counts) {
    table.columns.push_back(threads_column(threads));
    table.columns.push_back(column<"roofline">("+-"));
  }
  add_columns<"roofline">(table.columns, {"moved / counted", "working set"});
  for (const BandwidthRoof& first : roofline.bandwidth) {
    if (first.threads != counts.front()) {
      continue;
    }
    std::vector<Cell> row = {first.level, first.stream + (first.nontemporal ? " non-temporal" : "")};
    for (const int threads : counts) {
      const BandwidthRoof* roof = find_bandwidth(roofline, first.level, first.stream, threads, first.nontemporal);
      row.emplace_back(roof == nullptr ? Cell("") : Cell(format_bandwidth(roof->bytes.attained())));
      row.emplace_back(roof == nullptr ? Cell("") : Cell(spread(roof->bytes)));
    }
    row.emplace_back(fmt::format("{:.2f}", first.moved_per_byte));
    row.emplace_back(format_bytes(static_cast<double>(first.working_set_bytes)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table triad_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  std::map<std::int64_t, std::map<int, const BandwidthRoof*>> lengths;
  for (const BandwidthRoof& roof : roofline.triad_lengths) {
    lengths[roof.working_set_bytes][roof.threads] = &roof;
  }
  Table table;
  if (lengths.empty()) {
    return table;
  }
  table.columns = columns<"roofline">({"length"});
  for (const int threads : counts) {
    table.columns.push_back(threads_column(threads));
    table.columns.push_back(column<"roofline">("+-"));
  }
  for (const auto& [bytes, roofs] : lengths) {
    std::vector<Cell> row = {Cell(static_cast<double>(bytes), format_bytes(static_cast<double>(bytes)))};
    for (const int threads : counts) {
      const auto found = roofs.find(threads);
      row.emplace_back(found == roofs.end() ? Cell("") : Cell(format_bandwidth(found->second->bytes.attained())));
      row.emplace_back(found == roofs.end() ? Cell("") : Cell(spread(found->second->bytes)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table gemm_table(const Roofline& roofline) {
  Table table;
  table.columns = columns<"roofline">({"gemm of", "routine", "kernels", "threads", "best m x n x k", "rate", "+-", "of FMA", "left to gain",
                                       "evaluations", "search", "took"});
  for (const GemmRoof& roof : roofline.gemm) {
    const ComputeRoof* peak = best_compute(roofline, roof.threads, roofline::precision(roof.routine));
    const bool has_bound = roof.error_probability < 1;
    table.rows.push_back({library_text(roof.library), roof.routine, roof.library.kernels, report::whole(roof.threads),
                          to_string(roof.shape), Cell(roof.flops.attained(), format_flop_rate(roof.flops.attained())), spread(roof.flops),
                          peak == nullptr ? Cell("") : percent(roof.flops.attained() / peak->ceiling()),
                          has_bound ? Cell(roof.possible_gain, fmt::format("{:.1f} %", 100 * roof.possible_gain)) : Cell("not bounded"),
                          report::whole(roof.evaluations), roof.ending, format_seconds(roof.seconds)});
  }
  return table;
}

std::string ties_text(const Roofline& roofline) {
  constexpr std::size_t max_named = 6;
  std::string text;
  for (const GemmRoof& roof : roofline.gemm) {
    std::vector<std::string> names;
    for (const roofline::GemmTrial& trial : roof.trials) {
      if (trial.state == "tie" && trial.shape != roof.shape) {
        names.push_back(to_string(trial.shape));
      }
    }
    if (names.empty()) {
      continue;
    }
    const std::size_t more = names.size() - std::min(names.size(), max_named);
    names.resize(names.size() - more);
    text += fmt::format("- {} of {}, {}: {}{} (that a shape besides all of them is the best has a probability of {:.2g} % at most)\n",
                        roof.routine, library_text(roof.library), counted(roof.threads, "thread"), fmt::join(names, ", "),
                        more > 0 ? fmt::format(" and {} more", more) : "", 100 * roof.error_probability);
  }
  return text.empty() ? "" : "Shapes that tie with the best one, which isn't certainly faster:\n\n" + text + '\n';
}

}  // namespace flopcast::cli
