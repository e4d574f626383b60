#include <fmt/format.h>

#include <algorithm>

#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/reporting/kinds.hpp"
#include "flopcast/tasks/roofline/figure_picture.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {
namespace {

using report::Trust;

roofline::Roofline read_roofs(std::string_view text) { return roofline::roofline_from_json(text); }

PageContents roofline_contents(const roofline::Roofline& roofs) {
  PageContents contents{"What are the limits of this machine?", "", trust_of(roofs.findings, Trust::quiet)};
  const int threads = roofs.max_threads();
  std::vector<std::string> parts;
  if (const roofline::ComputeRoof* peak = best_compute(roofs, threads)) {
    parts.push_back(fmt::format("at most {} by arithmetic", format_flop_rate(peak->ceiling())));
  }
  if (const roofline::GemmRoof* gemm = best_gemm(roofs, threads)) {
    parts.push_back(fmt::format("{} by {} of {}", format_flop_rate(gemm->flops.attained()), gemm->routine, gemm->library.name));
  }
  if (const roofline::BandwidthRoof* memory = find_bandwidth(roofs, "memory", "triad", threads)) {
    parts.push_back(fmt::format("{} from memory", format_bandwidth(memory->bytes.attained())));
  }
  contents.answer = parts.empty() ? "No roof was measured."
                                  : fmt::format("With {}: {}.", counted(static_cast<std::uint64_t>(std::max(threads, 0)), "thread"),
                                                fmt::join(parts, ", "));
  add_picture(contents, [&] { return roofline_figure(roofs); });
  const std::string count = std::to_string(std::max(threads, 1));
  contents.steps = {
      {"Record a program's calls of BLAS and LAPACK.", fmt::format("flopcast record --threads {} -- COMMAND", count)},
      {"Place these calls below the roofs.", fmt::format("flopcast roofline --threads {} --recording flopcast.trace", count)}};
  contents.warnings.insert(contents.warnings.end(), roofs.findings.begin(), roofs.findings.end());
  return contents;
}

PageContents machine_contents(const MachineReport& machine) {
  PageContents contents{"What does flopcast know about this machine?", ""};
  report::BarChart chart{"Measured bandwidth of one core by level of the memory", "B/s", {}};
  for (const CacheLevel& level : machine.measurement.hierarchy.levels) {
    chart.bars.push_back({level.name, level.bandwidth, format_bandwidth(level.bandwidth)});
  }
  const double memory = machine.measurement.hierarchy.memory_bandwidth;
  chart.bars.push_back({"memory", memory, format_bandwidth(memory)});
  contents.pictures.emplace_back(std::move(chart));
  contents.warnings = findings(machine);
  contents.steps = {{"Measure the limits that the machine sets to programs.", "flopcast roofline"}};
  return contents;
}

/// Returns columns followed by those of a rate.
std::vector<std::string> with_rate(std::vector<std::string> columns, const std::string& rate) {
  columns.insert(columns.end(), {rate + ".attained", rate + ".median", rate + ".interval_95"});
  return columns;
}

}  // namespace

std::vector<ReportedKind> measured_kinds() {
  return {reported(roofline::schema, read_roofs, roofline_contents,
                   {{"compute", "Arithmetic", with_rate({"name", "threads", "precision", "lanes", "fused"}, "flops_per_second")},
                    {"bandwidth", "Bandwidths",
                     with_rate({"level", "stream", "nontemporal", "threads", "working_set_bytes", "flops_per_byte", "moved_per_byte"},
                               "bytes_per_second")},
                    {"gemm", "Matrix products",
                     with_rate({"routine", "library.name", "library.kernels", "threads", "shape.m", "shape.n", "shape.k", "possible_gain",
                                "ending", "evaluations", "seconds"},
                               "flops_per_second")},
                    {"points", "Points", with_rate({"name", "level", "threads", "flops", "bytes"}, "flops_per_second")}}),
          reported("flopcast-machine-2", machine_report_from_json, machine_contents,
                   {{"measured.levels", "Caches"}, {"libraries", "Libraries"}, {"", "Values"}})};
}

}  // namespace flopcast
