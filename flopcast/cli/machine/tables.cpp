#include "flopcast/cli/machine/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using machine::LibraryReport;
using machine::MachineMeasurement;
using machine::Topology;
using report::Cell;
using report::Table;

/// ", caches 48 KiB, 1.25 MiB" as the system reports them.
std::string caches_text(const std::vector<machine::ReportedCache>& caches) {
  std::vector<std::string> texts;
  for (const machine::ReportedCache& cache : caches) {
    texts.push_back(format_bytes(static_cast<double>(cache.bytes)));
  }
  return texts.empty() ? "" : fmt::format(", caches {}", fmt::join(texts, ", "));
}

std::string cpu_text(const Topology& topology) {
  std::string text = fmt::format("{}\n           {}, {}, {}, {}, {} of memory\n", topology.cpu, counted(topology.sockets, "socket"),
                                 counted(topology.cores, "core"), counted(topology.hardware_threads, "hardware thread"),
                                 counted(topology.numa_nodes, "memory node"), format_bytes(static_cast<double>(topology.memory_bytes)));
  text += fmt::format("           this process may use {} (CPU {})", counted(topology.usable_cores, "core"),
                      machine::format_cpu_list(topology.usable));
  for (const machine::CoreKind& kind : topology.kinds) {
    text += fmt::format("\n           {} of them {} (CPU {}){}{}", kind.cores, kind.name, machine::format_cpu_list(kind.cpus),
                        kind.max_hertz > 0 ? fmt::format(", up to {:.2f} GHz", kind.max_hertz * 1e-9) : "", caches_text(kind.caches));
  }
  if (topology.cpu_quota > 0) {
    text += fmt::format(" for {:.1f} CPUs' worth of time", topology.cpu_quota);
  }
  return text;
}

std::string clock_text(const MachineReport& found) {
  const std::string source = found.clock.uses_counter
                                 ? fmt::format("time stamp counter, invariant, {:.1f} MHz", found.clock.ticks_per_second * 1e-6)
                                 : "CLOCK_MONOTONIC (no invariant time stamp counter)";
  return fmt::format("{}\n           resolution {}, reading {}; CPU time of a thread: resolution {}, reading {}", source,
                     format_seconds(found.clock.wall.resolution), format_seconds(found.clock.wall.overhead),
                     format_seconds(found.clock.thread_cpu.resolution), format_seconds(found.clock.thread_cpu.overhead));
}

std::string frequency_text(const MachineReport& found) {
  const double nominal = found.topology.nominal_hertz;
  return fmt::format("{:.2f} GHz now, nominal {}", found.clock.core_hertz * 1e-9,
                     nominal > 0 ? fmt::format("{:.2f} GHz", nominal * 1e-9) : "not told");
}

Cell bytes_cell(std::int64_t bytes) {
  return {static_cast<double>(bytes), bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "not told"};
}

std::string shares_text(const std::vector<machine::BandwidthShare>& shares) {
  std::string text;
  for (const machine::BandwidthShare& share : shares) {
    text += fmt::format("With {} cores at once each has {} of the last cache's bandwidth and {} of memory's.\n", share.threads,
                        format_percent(share.cache), format_percent(share.memory));
  }
  return text.empty() ? text : text + '\n';
}

std::string contents(const machine::InstalledLibrary& library) {
  return library.has_blas && library.has_lapack ? "BLAS, LAPACK" : library.has_blas ? "BLAS" : "LAPACK";
}

Table library_table(const std::vector<LibraryReport>& libraries) {
  Table table;
  table.columns = columns<"machine">({"library", "has", "version", "kernels", "threading", "dgemm_flops_per_second", "file"});
  for (const LibraryReport& library : libraries) {
    const Cell rate = library.dgemm_flops > 0 ? Cell(library.dgemm_flops, format_flop_rate(library.dgemm_flops)) : Cell("");
    table.rows.push_back({library.installed.name, contents(library.installed), library.identity.version, library.identity.kernels,
                          library.identity.threading, rate, library.installed.path});
  }
  return table;
}

}  // namespace

Table cache_table(const MachineMeasurement& measurement) {
  Table table;
  table.columns = columns<"machine">({"level", "capacity_bytes", "capacity_low_bytes", "capacity_high_bytes", "stream_capacity_bytes",
                                      "parallel_chase_capacity_bytes", "serial_chase_capacity_bytes", "reported_bytes",
                                      "bandwidth_bytes_per_second", "latency_seconds"});
  const auto seen = [](std::int64_t bytes) { return bytes > 0 ? bytes_cell(bytes) : Cell(""); };
  const auto latency = [](Seconds seconds) { return seconds > 0 ? Cell(seconds, format_seconds(seconds)) : Cell(""); };
  for (std::size_t i = 0; i < measurement.hierarchy.levels.size(); ++i) {
    const CacheLevel& level = measurement.hierarchy.levels[i];
    const machine::PatternCapacities pattern =
        i < measurement.hierarchy.patterns.size() ? measurement.hierarchy.patterns[i] : machine::PatternCapacities{};
    table.rows.push_back({level.name, bytes_cell(level.capacity_bytes), bytes_cell(level.capacity_low_bytes),
                          bytes_cell(level.capacity_high_bytes), seen(pattern.stream), seen(pattern.parallel_chase),
                          seen(pattern.serial_chase), level.reported_bytes > 0 ? bytes_cell(level.reported_bytes) : Cell(0.0, "not told"),
                          Cell(level.bandwidth, format_bandwidth(level.bandwidth)), latency(level.latency_seconds)});
  }
  const machine::MemoryHierarchy& memory = measurement.hierarchy;
  table.rows.push_back({"memory", "", "", "", "", "", "", "", Cell(memory.memory_bandwidth, format_bandwidth(memory.memory_bandwidth)),
                        latency(memory.memory_latency)});
  return table;
}

std::string to_text(const MachineReport& found, const CommonOptions& common) {
  std::string text = fmt::format("CPU        {}\nClock      {}\nFrequency  {}\nNoise      {}\n\n", cpu_text(found.topology),
                                 clock_text(found), frequency_text(found), machine::judgement(found.clock.noise));
  const auto caches = [&](const MachineMeasurement& measurement, const std::string& core) {
    return fmt::format("Caches and memory, measured on one {}core ({}, {}):\n\n{}\n", core,
                       measurement.sweep.huge_pages ? "huge pages" : "small pages", measurement.quick ? "coarse sweep" : "full sweep",
                       render(cache_table(measurement), common));
  };
  const std::vector<machine::CoreKind>& kinds = found.topology.kinds;
  text += caches(found.measurement, kinds.empty() ? "" : kinds.front().name + ' ');
  for (std::size_t k = 0; k < found.other_kinds.size(); ++k) {
    text += caches(found.other_kinds[k], kinds[k + 1].name + ' ');
  }
  text += shares_text(*found.measurement.bandwidth_shares);
  text += fmt::format("BLAS and LAPACK libraries:\n\n{}", render(library_table(found.libraries), common));
  const std::vector<std::string> notable = findings(found);
  for (std::size_t i = 0; i < notable.size(); ++i) {
    text += fmt::format("{}- {}\n", i == 0 ? "\n" : "", notable[i]);
  }
  return text;
}

}  // namespace flopcast::cli
