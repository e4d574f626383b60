#include "flopcast/cli/machine/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
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
                     nominal > 0 ? fmt::format("{:.2f} GHz", nominal * 1e-9) : "not reported");
}

Cell bytes_cell(std::int64_t bytes) {
  return {static_cast<double>(bytes), bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "not reported"};
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

Columns<LibraryReport> library_columns() {
  using machine::InstalledLibrary;
  Columns<LibraryReport> columns;
  columns.add(shown<&InstalledLibrary::name>("library"), &LibraryReport::installed, &InstalledLibrary::name);
  columns.text("has", "has", "interfaces that the library has: BLAS, LAPACK or both",
               [](const LibraryReport& library) { return contents(library.installed); });
  columns.add(shown<&LibraryIdentity::version>(), &LibraryReport::identity, &LibraryIdentity::version);
  columns.add(shown<&LibraryIdentity::kernels>(), &LibraryReport::identity, &LibraryIdentity::kernels);
  columns.add(shown<&LibraryIdentity::threading>(), &LibraryReport::identity, &LibraryIdentity::threading);
  columns.add(shown<&LibraryReport::dgemm_flops>("dgemm_flops_per_second", "dgemm, 1 thread"), [](const LibraryReport& library) {
    return library.dgemm_flops > 0 ? Cell(library.dgemm_flops, format_flop_rate(library.dgemm_flops)) : Cell("");
  });
  columns.add(shown<&InstalledLibrary::path>("file"), &LibraryReport::installed, &InstalledLibrary::path);
  return columns;
}

/// A level of caches as measured, and as the patterns of access see it; of the memory, only bandwidth and latency are measured.
struct MeasuredLevel {
  CacheLevel level;
  machine::PatternCapacities seen;
  bool is_memory = false;
};

Columns<MeasuredLevel> level_columns() {
  using machine::PatternCapacities;
  Columns<MeasuredLevel> columns;
  const auto add = [&columns](report::Column column, auto cell_of) {
    columns.add(std::move(column), [cell_of](const MeasuredLevel& measured) { return measured.is_memory ? Cell("") : cell_of(measured); });
  };
  const auto bytes_of = [](std::int64_t CacheLevel::*member) {
    return [member](const MeasuredLevel& measured) { return bytes_cell(measured.level.*member); };
  };
  const auto seen_by = [](std::int64_t PatternCapacities::*pattern) {
    return [pattern](const MeasuredLevel& measured) { return measured.seen.*pattern > 0 ? bytes_cell(measured.seen.*pattern) : Cell(""); };
  };
  columns.add(shown<&CacheLevel::name>("level"), &MeasuredLevel::level, &CacheLevel::name);
  add(shown<&CacheLevel::capacity_bytes>(), bytes_of(&CacheLevel::capacity_bytes));
  add(shown<&CacheLevel::capacity_low_bytes>("capacity_bytes_low", "from"), bytes_of(&CacheLevel::capacity_low_bytes));
  add(shown<&CacheLevel::capacity_high_bytes>("capacity_bytes_high", "to"), bytes_of(&CacheLevel::capacity_high_bytes));
  add(shown<&PatternCapacities::stream>("stream_capacity_bytes", "stream"), seen_by(&PatternCapacities::stream));
  add(shown<&PatternCapacities::parallel_chase>("parallel_chase_capacity_bytes", "parallel chase"),
      seen_by(&PatternCapacities::parallel_chase));
  add(shown<&PatternCapacities::serial_chase>("serial_chase_capacity_bytes", "serial chase"), seen_by(&PatternCapacities::serial_chase));
  add(shown<&CacheLevel::reported_bytes>(), bytes_of(&CacheLevel::reported_bytes));
  columns.add(shown<&CacheLevel::bandwidth>("bandwidth_bytes_per_second"),
              [](const MeasuredLevel& measured) { return measured.level.bandwidth; });
  columns.add(shown<&CacheLevel::latency_seconds>(), [](const MeasuredLevel& measured) {
    const Seconds latency = measured.level.latency_seconds;
    return latency > 0 ? Cell(latency, format_seconds(latency)) : Cell("");
  });
  return columns;
}

}  // namespace

Table cache_table(const MachineMeasurement& measurement) {
  const machine::MemoryHierarchy& hierarchy = measurement.hierarchy;
  std::vector<MeasuredLevel> levels;
  for (std::size_t i = 0; i < hierarchy.levels.size(); ++i) {
    levels.push_back({hierarchy.levels[i], i < hierarchy.patterns.size() ? hierarchy.patterns[i] : machine::PatternCapacities{}});
  }
  CacheLevel memory;
  memory.name = "memory";
  memory.bandwidth = hierarchy.memory_bandwidth;
  memory.latency_seconds = hierarchy.memory_latency;
  levels.push_back({memory, {}, true});
  return level_columns().table(levels);
}

std::vector<TableColumns> machine_tables() {
  return {TableColumns{"machine", level_columns().headings()}.with(library_columns().headings())};
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
  text += fmt::format("BLAS and LAPACK libraries:\n\n{}", render(library_columns().table(found.libraries), common));
  const std::vector<std::string> notable = findings(found);
  for (std::size_t i = 0; i < notable.size(); ++i) {
    text += fmt::format("{}- {}\n", i == 0 ? "\n" : "", notable[i]);
  }
  return text;
}

}  // namespace flopcast::cli
