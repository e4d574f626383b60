#include "flopcast/cli/roofline/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using report::Cell;
using report::Table;
using roofline::BandwidthRoof;
using roofline::ComputeRoof;
using roofline::GemmRoof;
using roofline::Rates;
using roofline::Roofline;

/// Returns the share of a theoretical peak; an empty cell where the peak isn't known.
Cell share_of_peak(const Roofline& roofline, const std::string& name, int threads, double rate) {
  const auto peak = std::find_if(roofline.peaks.begin(), roofline.peaks.end(), [&](const roofline::TheoreticalPeak& candidate) {
    return candidate.name == name && candidate.threads == threads;
  });
  return peak == roofline.peaks.end() ? Cell("") : percent(rate / peak->flops);
}

Table peak_table(const Roofline& roofline) {
  Table table;
  table.columns = columns<"roofline">({"peak, double precision", "threads", "rate", "of nominal", "of sustained", "from"});
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
  table.columns = columns<"roofline">({"point", "threads", "flops per byte", "rate", "roof", "of it"});
  for (const roofline::Point& point : roofline.points) {
    const roofline::Bound bound = bound_of(roofline, point);
    const double rate = point.flops_rate.median();
    table.rows.push_back({point.name, report::whole(point.threads), Cell(point.intensity(), fmt::format("{:.3g}", point.intensity())),
                          Cell(rate, format_flop_rate(rate)), bound.name, bound.flops > 0 ? percent(rate / bound.flops) : Cell("")});
  }
  return table;
}

/// Returns a line with the source of every factor of the theoretical peaks.
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

/// Adds a row; zeros of the last two columns are unknown values.
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
  const auto is_first = [](const std::string& finding) { return finding.starts_with(restless_machine); };
  std::string text;
  for (const std::string& finding : roofline.findings) {
    text += is_first(finding) ? finding + '\n' : "";
  }
  text += text.empty() ? "" : "\n";
  text += fmt::format("CPU     {}\nThreads {} on CPU {} ({}), {}\nCaches  {}\n\n", roofline.cpu, roofline.cpus.size(),
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
    text += is_first(finding) ? "" : "- " + finding + '\n';
  }
  return text + fmt::format("Measured in {}.\n", format_seconds(roofline.seconds));
}

Table roofline_table(const Roofline& roofline) {
  Table table;
  table.columns = columns<"roofline">(
      {"kind", "name", "threads", "rate", "median", "low", "high", "samples", "unit", "flops per byte", "moved / counted"});
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

Table plan_table(const RooflinePlan& plan) {
  Table table;
  table.columns = columns<"roofline">({"subject", "method"});
  for (const RooflinePlan::Step& step : plan.steps) {
    table.rows.push_back({step.subject, step.method});
  }
  return table;
}

}  // namespace flopcast::cli
