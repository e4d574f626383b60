#include "flopcast/cli/roofline/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
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
using roofline::TheoreticalPeak;

/// Returns the share of a theoretical peak; an empty cell where the peak isn't known.
Cell share_of_peak(const Roofline& roofline, const std::string& name, int threads, double rate) {
  const auto peak = std::find_if(roofline.peaks.begin(), roofline.peaks.end(),
                                 [&](const TheoreticalPeak& candidate) { return candidate.name == name && candidate.threads == threads; });
  return peak == roofline.peaks.end() ? Cell("") : percent(rate / peak->flops);
}

report::Column threads_column() { return shown<&ComputeRoof::threads>(); }
report::Column intensity_column() { return number_column("flops_per_byte", "flops per byte", "flop/B", "operational intensity"); }

/// A peak, or the best rate that was measured.
struct PeakRow {
  std::string name;
  int threads;
  double rate;
  std::string from;
};

Columns<PeakRow> peak_columns(const Roofline& roofline) {
  Columns<PeakRow> columns;
  columns.add(shown<&TheoreticalPeak::name>("peak, double precision"), &PeakRow::name);
  columns.add(threads_column(), &PeakRow::threads);
  columns.add(roof_rate_column(), &PeakRow::rate);
  columns.number("of nominal", "of nominal", "fraction", "the rate over the peak from the nominal clock", Best::large,
                 [&roofline](const PeakRow& row) { return share_of_peak(roofline, "nominal", row.threads, row.rate); });
  columns.number("of sustained", "of sustained", "fraction", "the rate over the peak from the measured clock", Best::large,
                 [&roofline](const PeakRow& row) { return share_of_peak(roofline, "sustained clock", row.threads, row.rate); });
  columns.add(shown<&TheoreticalPeak::factors>("from"), &PeakRow::from);
  return columns;
}

Table peak_table(const Roofline& roofline) {
  std::vector<PeakRow> rows;
  for (const int threads : thread_counts(roofline)) {
    for (const TheoreticalPeak& peak : roofline.peaks) {
      if (peak.threads != threads) {
        continue;
      }
      std::string from;
      for (const roofline::PeakFactor& factor : peak.factors) {
        const std::string value =
            factor.unit == "Hz" ? fmt::format("{:.2f} GHz", factor.value * 1e-9) : fmt::format("{:g} {}", factor.value, factor.name);
        from += (from.empty() ? "" : " x ") + value;
      }
      rows.push_back({peak.name, threads, peak.flops, from});
    }
    if (const ComputeRoof* best = best_compute(roofline, threads)) {
      rows.push_back({"measured loop", threads, best->ceiling(), best->name});
    }
    if (const GemmRoof* gemm = best_gemm(roofline, threads)) {
      rows.push_back({"best dgemm", threads, gemm->flops.attained(),
                      fmt::format("{} {}, {}", gemm->library.name, gemm->library.version, to_string(gemm->shape))});
    }
  }
  return peak_columns(roofline).table(rows);
}

Columns<roofline::Point> point_columns(const Roofline& roofline) {
  using roofline::Point;
  const auto rate_of = [](const Point& point) { return point.flops_rate.median(); };
  Columns<Point> columns;
  columns.show<&Point::name>("point");
  columns.add(threads_column(), &Point::threads);
  columns.add(intensity_column(), [](const Point& point) { return Cell(point.intensity(), fmt::format("{:.3g}", point.intensity())); });
  columns.add(roof_rate_column(), rate_of);
  columns.number("roof", "roof", "", "the lowest roof above the point",
                 [&roofline](const Point& point) { return bound_of(roofline, point).name; });
  columns.number("of it", "of it", "fraction", "rate of the point over the lowest roof above it", Best::large,
                 [&roofline, rate_of](const Point& point) {
                   const roofline::Bound bound = bound_of(roofline, point);
                   return bound.flops > 0 ? percent(rate_of(point) / bound.flops) : Cell("");
                 });
  return columns;
}

/// Returns a line with the source of every factor of the theoretical peaks.
std::string sources_text(const Roofline& roofline) {
  std::string text;
  for (const TheoreticalPeak& peak : roofline.peaks) {
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

/// A roof or point; zeros of the last two members are unknown values.
struct RoofRow {
  std::string kind, name;
  int threads;
  double rate;
  const Rates* rates;
  std::string unit;
  double flops_per_byte = 0, moved_per_byte = 0;
};

Columns<RoofRow> roof_columns() {
  const auto number = [](double value) { return Cell(value, fmt::format("{:.4g}", value)); };
  const auto known = [number](double value) { return value > 0 ? number(value) : Cell(""); };
  Columns<RoofRow> columns;
  columns.text("kind", "kind", "compute, bandwidth, triad, a routine or point (--csv)", &RoofRow::kind);
  columns.text("name", "name", "name of the roof or point (--csv)", &RoofRow::name);
  columns.add(threads_column(), &RoofRow::threads);
  columns.add(roof_rate_column(), [=](const RoofRow& row) { return number(row.rate); });
  columns.number("median", "median", "as the unit says", "median of the samples (--csv)", Best::large,
                 [](const RoofRow& row) { return row.rates->median(); });
  columns.number("median_low", "low", "as the unit says", "lower end of the median's 95 % interval (--csv)", Best::large,
                 [](const RoofRow& row) { return row.rates->interval().low; });
  columns.number("median_high", "high", "as the unit says", "upper end of the median's 95 % interval (--csv)", Best::large,
                 [](const RoofRow& row) { return row.rates->interval().high; });
  columns.number("samples", "samples", "", "number of samples (--csv)", Best::large,
                 [](const RoofRow& row) { return row.rates->samples.size(); });
  columns.text("unit", "unit", "flop/s or B/s (--csv)", &RoofRow::unit);
  columns.add(intensity_column(), [=](const RoofRow& row) { return known(row.flops_per_byte); });
  columns.add(shown<&BandwidthRoof::moved_per_byte>("moved_per_byte", "moved / counted"),
              [=](const RoofRow& row) { return known(row.moved_per_byte); });
  return columns;
}

Columns<RooflinePlan::Step> plan_columns() {
  Columns<RooflinePlan::Step> columns;
  columns.show<&RooflinePlan::Step::subject>();
  columns.show<&RooflinePlan::Step::method>();
  return columns;
}

}  // namespace

std::string roofline_text(const Roofline& roofline, const CommonOptions& common) {
  const auto is_first = [](const std::string& finding) { return finding.starts_with(noisy_machine); };
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
  section("Points:", point_columns(roofline).table(roofline.points));
  for (const std::string& finding : roofline.findings) {
    text += is_first(finding) ? "" : "- " + finding + '\n';
  }
  return text + fmt::format("Measured in {}.\n", format_seconds(roofline.seconds));
}

Table roofline_table(const Roofline& roofline) {
  std::vector<RoofRow> rows;
  for (const ComputeRoof& roof : roofline.compute) {
    rows.push_back({"compute", roof.name, roof.threads, roof.ceiling(), &roof.flops, "flop/s"});
  }
  for (const BandwidthRoof& roof : roofline.bandwidth) {
    rows.push_back(
        {"bandwidth", roof.name(), roof.threads, roof.bytes.attained(), &roof.bytes, "B/s", roof.flops_per_byte, roof.moved_per_byte});
  }
  for (const BandwidthRoof& roof : roofline.triad_lengths) {
    rows.push_back({"triad", fmt::format("{} bytes", roof.working_set_bytes), roof.threads, roof.bytes.attained(), &roof.bytes, "B/s",
                    roof.flops_per_byte});
  }
  for (const GemmRoof& roof : roofline.gemm) {
    rows.push_back({roof.routine, fmt::format("{} {}", library_text(roof.library), to_string(roof.shape)), roof.threads,
                    roof.flops.attained(), &roof.flops, "flop/s"});
  }
  for (const roofline::Point& point : roofline.points) {
    rows.push_back({"point", point.name, point.threads, point.flops_rate.median(), &point.flops_rate, "flop/s", point.intensity()});
  }
  return roof_columns().table(rows);
}

Table plan_table(const RooflinePlan& plan) { return plan_columns().table(plan.steps); }

std::vector<TableColumns> roofline_tables() {
  const Roofline none;
  TableColumns roofs = {"roofline", peak_columns(none).headings()};
  roofs.with(measured_roof_columns()).with(point_columns(none).headings()).with(roof_columns().headings()).with(plan_columns().headings());
  return {roofs};
}

}  // namespace flopcast::cli
