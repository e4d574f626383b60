#include "flopcast/cli/roofline_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "flopcast/cli/options.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::Table;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Rates;
using roofline::Roofline;

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

/// Half the width of the median's 95 % interval in percent of it; beyond 100 % a figure would say no more.
std::string spread(const Rates& rates) {
  if (rates.samples.size() == 1) {
    return "one sample";
  }
  const Interval interval = rates.interval();
  const double percent = 50 * (interval.high - interval.low) / rates.median();
  return percent > 100 ? "> 100 %" : fmt::format("{:.1f} %", percent);
}

/// Variants of a library differ in their threading.
std::string library_text(const LibraryIdentity& library) {
  return fmt::format("{} {}{}", library.name, library.version, library.threading.empty() ? "" : " " + library.threading);
}

Cell percent(double share) { return {share, fmt::format("{:.1f} %", 100 * share)}; }

Table compute_table(const Roofline& roofline) {
  const std::vector<int> counts = thread_counts(roofline);
  Table table;
  table.columns = {{"ceiling", Align::left}};
  for (const int threads : counts) {
    table.columns.push_back({counted(threads, "thread")});
  }
  table.columns.insert(table.columns.end(), {Column{"+-"}, Column{"per cycle"}, Column{"clock"}});
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
  table.columns = {{"level", Align::left}, {"stream", Align::left}};
  for (const int threads : counts) {
    table.columns.push_back({counted(threads, "thread")});
    table.columns.push_back({"+-"});
  }
  table.columns.insert(table.columns.end(), {Column{"moved / counted"}, Column{"working set"}});
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
  table.columns = {{"length"}};
  for (const int threads : counts) {
    table.columns.push_back({counted(threads, "thread")});
    table.columns.push_back({"+-"});
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
  table.columns = {{"gemm of", Align::left},
                   {"routine", Align::left},
                   {"kernels", Align::left},
                   {"threads"},
                   {"best m x n x k"},
                   {"rate"},
                   {"+-"},
                   {"of FMA"},
                   {"left to gain"},
                   {"evaluations"},
                   {"search", Align::left},
                   {"took"}};
  for (const GemmRoof& roof : roofline.gemm) {
    const ComputeRoof* peak = best_compute(roofline, roof.threads, roofline::precision(roof.routine));
    const bool has_bound = roof.error_probability < 1;
    table.rows.push_back({library_text(roof.library), roof.routine, roof.library.kernels, report::whole(roof.threads),
                          to_string(roof.shape), Cell(roof.flops.attained(), format_flop_rate(roof.flops.attained())), spread(roof.flops),
                          peak == nullptr ? Cell("") : percent(roof.flops.attained() / peak->ceiling()),
                          has_bound ? Cell(roof.possible_gain, fmt::format("{:.1f} %", 100 * roof.possible_gain)) : Cell("not bounded"),
                          report::whole(roof.evaluations), roof.search + ", " + roof.ending, format_seconds(roof.seconds)});
  }
  return table;
}

/// What races answer: sets of shapes. The best ones of a set are named, and how many more there are.
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

/// The share of a theoretical peak, or nothing where that isn't known.
Cell share_of_peak(const Roofline& roofline, const std::string& name, int threads, double rate) {
  const auto peak = std::find_if(roofline.peaks.begin(), roofline.peaks.end(), [&](const roofline::TheoreticalPeak& candidate) {
    return candidate.name == name && candidate.threads == threads;
  });
  return peak == roofline.peaks.end() ? Cell("") : percent(rate / peak->flops);
}

Table peak_table(const Roofline& roofline) {
  Table table;
  table.columns = {{"peak, double precision", Align::left}, {"threads"}, {"rate"}, {"of nominal"}, {"of sustained"}, {"from", Align::left}};
  const auto add = [&](const std::string& name, int threads, double rate, const std::string& from) {
    table.rows.push_back({name, report::whole(threads), Cell(rate, format_flop_rate(rate)),
                          share_of_peak(roofline, "nominal", threads, rate), share_of_peak(roofline, "sustained clock", threads, rate),
                          from});
  };
  for (const int threads : thread_counts(roofline)) {
    for (const roofline::TheoreticalPeak& peak : roofline.peaks) {
      if (peak.threads != threads) {
        continue;
      }
      std::string from;
      for (const roofline::PeakFactor& factor : peak.factors) {
        const std::string value =
            factor.unit == "Hz" ? fmt::format("{:.2f} GHz", factor.value * 1e-9) : fmt::format("{:g} {}", factor.value, factor.name);
        from += (from.empty() ? "" : " x ") + value;
      }
      add(peak.name, threads, peak.flops, from);
    }
    if (const ComputeRoof* best = best_compute(roofline, threads)) {
      add("measured loop", threads, best->ceiling(), best->name);
    }
    if (const GemmRoof* gemm = best_gemm(roofline, threads)) {
      add("best dgemm", threads, gemm->flops.attained(),
          fmt::format("{} {}, {}", gemm->library.name, gemm->library.version, to_string(gemm->shape)));
    }
  }
  return table;
}

Table point_table(const Roofline& roofline) {
  Table table;
  table.columns = {{"point", Align::left}, {"threads"}, {"flops per byte"}, {"rate"}, {"roof"}, {"of it"}};
  for (const roofline::Point& point : roofline.points) {
    const roofline::Bound bound = bound_of(roofline, point);
    const double rate = point.flops_rate.median();
    table.rows.push_back({point.name, report::whole(point.threads), Cell(point.intensity(), fmt::format("{:.3g}", point.intensity())),
                          Cell(rate, format_flop_rate(rate)), bound.name, bound.flops > 0 ? percent(rate / bound.flops) : Cell("")});
  }
  return table;
}

/// A line for every factor of the theoretical peaks that says where it is from.
std::string sources_text(const Roofline& roofline) {
  std::string text;
  for (const roofline::TheoreticalPeak& peak : roofline.peaks) {
    for (const roofline::PeakFactor& factor : peak.factors) {
      const std::string line = factor.name == "clock"
                                   ? fmt::format("- {}: {}\n", peak.name == "nominal" ? "nominal clock" : peak.name, factor.source)
                                   : fmt::format("- {}: {}\n", factor.name, factor.source);
      text += text.find(line) == std::string::npos ? line : "";
    }
  }
  return text.empty() ? "" : "Their factors:\n\n" + text + '\n';
}

std::string levels_text(const Roofline& roofline) {
  std::string text;
  for (const CacheLevel& level : roofline.levels) {
    text += fmt::format("{}{} {} ({} to {})", text.empty() ? "" : ", ", level.name, format_bytes(static_cast<double>(level.capacity_bytes)),
                        format_bytes(static_cast<double>(level.capacity_low_bytes)),
                        format_bytes(static_cast<double>(level.capacity_high_bytes)));
  }
  return text;
}

/// Zeros are unknown.
void append_roof(Table& table, const std::string& kind, const std::string& name, int threads, double rate, const Rates& rates,
                 const std::string& unit, double flops_per_byte = 0, double moved_per_byte = 0) {
  const Interval interval = rates.interval();
  const auto number = [](double value) { return Cell(value, fmt::format("{:.4g}", value)); };
  const auto known = [&number](double value) { return value > 0 ? number(value) : Cell(""); };
  table.rows.push_back({kind, name, report::whole(threads), number(rate), number(rates.median()), number(interval.low),
                        number(interval.high), report::whole(static_cast<long long>(rates.samples.size())), unit, known(flops_per_byte),
                        known(moved_per_byte)});
}

}  // namespace

std::string roofline_text(const Roofline& roofline, const CommonOptions& common) {
  std::string text = fmt::format("CPU     {}\nThreads {} on CPU {} ({}), {}\nCaches  {}\n\n", roofline.cpu, roofline.cpus.size(),
                                 machine::format_cpu_list(roofline.cpus), roofline.affinity, roofline.date, levels_text(roofline));
  const auto section = [&](const std::string& title, const Table& table) {
    if (!table.rows.empty()) {
      text += title + "\n\n" + render(table, common) + '\n';
    }
  };
  section("Arithmetic in registers:", compute_table(roofline));
  section("Bandwidth by bytes counted (moved: with the reads that plain stores cause, where lines come from further out):",
          bandwidth_table(roofline));
  section("Triad by the length of its three vectors together:", triad_table(roofline));
  section("gemm:", gemm_table(roofline));
  text += ties_text(roofline);
  section("Peaks:", peak_table(roofline));
  text += sources_text(roofline);
  section("Points:", point_table(roofline));
  for (const std::string& finding : roofline.findings) {
    text += "- " + finding + '\n';
  }
  return text + fmt::format("Measured in {}.\n", format_seconds(roofline.seconds));
}

Table roofline_table(const Roofline& roofline) {
  Table table;
  table.columns = {{"kind", Align::left}, {"name", Align::left}, {"threads"},        {"rate"},           {"median"}, {"low"}, {"high"},
                   {"samples"},           {"unit", Align::left}, {"flops per byte"}, {"moved / counted"}};
  for (const ComputeRoof& roof : roofline.compute) {
    append_roof(table, "compute", roof.name, roof.threads, roof.ceiling(), roof.flops, "flops/s");
  }
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    append_roof(table, "bandwidth", roof.name(), roof.threads, roof.bytes.attained(), roof.bytes, "bytes/s", roof.flops_per_byte,
                roof.moved_per_byte);
  }
  for (const BandwidthRoof& roof : roofline.triad_lengths) {
    append_roof(table, "triad", fmt::format("{} bytes", roof.working_set_bytes), roof.threads, roof.bytes.attained(), roof.bytes, "bytes/s",
                roof.flops_per_byte);
  }
  for (const GemmRoof& roof : roofline.gemm) {
    append_roof(table, roof.routine, fmt::format("{} {}", library_text(roof.library), to_string(roof.shape)), roof.threads,
                roof.flops.attained(), roof.flops, "flops/s");
  }
  for (const roofline::Point& point : roofline.points) {
    append_roof(table, "point", point.name, point.threads, point.flops_rate.median(), point.flops_rate, "flops/s", point.intensity());
  }
  return table;
}

}  // namespace flopcast::cli
