#include <fmt/format.h>

#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/cli/command.hpp"
#include "flopcast/cli/interrupt.hpp"
#include "flopcast/cli/options.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/noise.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/report/table.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using machine::ClockQuality;
using machine::LibraryReport;
using machine::MachineMeasurement;
using machine::NoiseLevel;
using machine::Topology;
using report::Align;
using report::Cell;
using report::Table;

/// Caches and memory; no shares of bandwidth for the topology of another system, to whose CPUs no thread can be bound.
MachineMeasurement measured(const Topology& topology, const machine::DetectOptions& options) {
  MachineMeasurement found = machine::measured_machine(topology, options);
  found.bandwidth_shares =
      topology.this_system ? machine::measured_bandwidth_shares(topology, options) : std::vector<machine::BandwidthShare>();
  return found;
}

/// All that the command tells.
struct MachineReport {
  Topology topology;
  MachineMeasurement measurement;            ///< on the fastest kind of cores
  std::vector<MachineMeasurement> of_kinds;  ///< on the other kinds, in the order of the topology; none where they can't be measured
  ClockQuality wall, cpu;
  double ticks_per_second = 0;
  bool uses_counter = false;
  double frequency = 0;
  NoiseLevel noise;
  std::vector<LibraryReport> libraries;
  std::vector<machine::SlowDgemm> slow;  ///< libraries that stayed slower than they can be
};

/// A library that is slower than its kernels can be is timed again, some seconds apart; what remains slow is told. Rates are kept, so that
/// a later run in a slow minute knows better.
void time_slow_libraries_again(MachineReport& found, const machine::DetectOptions& options) {
  constexpr int max_rounds = 3;
  constexpr useconds_t pause = 500'000;
  const auto slow = [&] { return machine::slow_libraries(found.libraries, found.measurement.dgemm_rates); };
  found.slow = slow();
  for (int round = 0; round < max_rounds && !found.slow.empty(); ++round) {
    usleep(pause);
    for (const machine::SlowDgemm& one : found.slow) {
      throw_if_interrupted("nothing is kept");
      LibraryReport& report = found.libraries[one.library];
      if (LibraryReport again = machine::inspect(report.installed, true); again.dgemm_flops > report.dgemm_flops) {
        report = std::move(again);
      }
    }
    found.slow = slow();
  }
  std::map<std::string, double> rates;
  for (const LibraryReport& report : found.libraries) {
    if (report.dgemm_flops > 0) {
      rates[machine::library_key(report.identity)] = report.dgemm_flops;
    }
  }
  machine::keep_dgemm_rates(found.topology, rates, options);
}

MachineReport examine(const machine::DetectOptions& options, const CommonOptions& common) {
  MachineReport result;
  result.topology = machine::detect_topology();
  const std::vector<machine::InstalledLibrary> installed = machine::installed_libraries();
  const auto inspected = run_context(common).step("libraries");
  for (const machine::InstalledLibrary& library : installed) {
    result.libraries.push_back(machine::inspect(library, true));
    throw_if_interrupted("nothing was measured yet");
    inspected(static_cast<std::int64_t>(result.libraries.size()), static_cast<std::int64_t>(installed.size()));
  }
  result.measurement = measured(result.topology, options);
  time_slow_libraries_again(result, options);
  for (std::size_t k = 1; k < result.topology.kinds.size() && result.topology.this_system; ++k) {
    result.of_kinds.push_back(machine::measured_machine(restricted_to(result.topology, result.topology.kinds[k].name), options));
  }
  const machine::WallClock clock(0.05);
  result.wall = machine::quality(clock);
  result.cpu = machine::thread_cpu_clock_quality();
  result.ticks_per_second = clock.ticks_per_second();
  result.uses_counter = clock.uses_counter();
  result.noise = machine::measure_noise(clock);
  result.frequency = machine::core_frequency(clock, 1 << 20);
  return result;
}

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
  const std::string source = found.uses_counter ? fmt::format("time stamp counter, invariant, {:.1f} MHz", found.ticks_per_second * 1e-6)
                                                : "CLOCK_MONOTONIC (no invariant time stamp counter)";
  return fmt::format("{}\n           resolution {}, reading {}; CPU time of a thread: resolution {}, reading {}", source,
                     format_seconds(found.wall.resolution), format_seconds(found.wall.overhead), format_seconds(found.cpu.resolution),
                     format_seconds(found.cpu.overhead));
}

std::string frequency_text(const MachineReport& found) {
  const double nominal = found.topology.nominal_hertz;
  return fmt::format("{:.2f} GHz now, nominal {}", found.frequency * 1e-9,
                     nominal > 0 ? fmt::format("{:.2f} GHz", nominal * 1e-9) : "not told");
}

Cell bytes_cell(std::int64_t bytes) {
  return {static_cast<double>(bytes), bytes > 0 ? format_bytes(static_cast<double>(bytes)) : "not told"};
}

Table cache_table(const MachineMeasurement& measurement) {
  Table table;
  table.columns = {{"level", Align::left, "level"},
                   {"capacity", Align::right, "capacity_bytes"},
                   {"from", Align::right, "capacity_low_bytes"},
                   {"to", Align::right, "capacity_high_bytes"},
                   {"stream", Align::right, "stream_capacity_bytes"},
                   {"parallel chase", Align::right, "parallel_chase_capacity_bytes"},
                   {"serial chase", Align::right, "serial_chase_capacity_bytes"},
                   {"reported", Align::right, "reported_bytes"},
                   {"bandwidth", Align::right, "bandwidth_bytes_per_second"},
                   {"latency", Align::right, "latency_seconds"}};
  const auto seen = [](std::int64_t bytes) { return bytes > 0 ? bytes_cell(bytes) : Cell(""); };
  for (std::size_t i = 0; i < measurement.hierarchy.levels.size(); ++i) {
    const CacheLevel& level = measurement.hierarchy.levels[i];
    const machine::PatternCapacities pattern =
        i < measurement.hierarchy.patterns.size() ? measurement.hierarchy.patterns[i] : machine::PatternCapacities{};
    table.rows.push_back(
        {level.name, bytes_cell(level.capacity_bytes), bytes_cell(level.capacity_low_bytes), bytes_cell(level.capacity_high_bytes),
         seen(pattern.stream), seen(pattern.parallel_chase), seen(pattern.serial_chase), bytes_cell(level.reported_bytes),
         Cell(level.bandwidth, format_bandwidth(level.bandwidth)), Cell(level.latency_seconds, format_seconds(level.latency_seconds))});
  }
  const machine::MemoryHierarchy& memory = measurement.hierarchy;
  table.rows.push_back({"memory", "", "", "", "", "", "", "", Cell(memory.memory_bandwidth, format_bandwidth(memory.memory_bandwidth)),
                        Cell(memory.memory_latency, format_seconds(memory.memory_latency))});
  return table;
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
  table.columns = {{"library", Align::left, "library"},
                   {"has", Align::left, "has"},
                   {"version", Align::left, "version"},
                   {"kernels", Align::left, "kernels"},
                   {"threading", Align::left, "threading"},
                   {"dgemm, 1 thread", Align::right, "dgemm_flops_per_second"},
                   {"file", Align::left, "file"}};
  for (const LibraryReport& library : libraries) {
    const Cell rate = library.dgemm_flops > 0 ? Cell(library.dgemm_flops, format_flop_rate(library.dgemm_flops)) : Cell("");
    table.rows.push_back({library.installed.name, contents(library.installed), library.identity.version, library.identity.kernels,
                          library.identity.threading, rate, library.installed.path});
  }
  return table;
}

/// What is worth knowing about the libraries: those that can't be used, and those that chose slow kernels.
std::vector<std::string> findings(const MachineReport& found) {
  const std::vector<LibraryReport>& libraries = found.libraries;
  std::vector<std::string> lines;
  for (const machine::SlowDgemm& slow : found.slow) {
    const LibraryReport& library = libraries[slow.library];
    lines.push_back(
        fmt::format("the machine is restless: dgemm of {} makes {} now, and its kernels are known to make {}; measure again when "
                    "the machine is idle",
                    library.installed.name, format_flop_rate(library.dgemm_flops), format_flop_rate(slow.expected)));
  }
  for (const LibraryReport& library : libraries) {
    if (!library.failure.empty()) {
      lines.push_back(fmt::format("{} can't be used: {}", library.installed.path, library.failure));
    } else if (const machine::KernelTrial* best = library.better()) {
      lines.push_back(fmt::format("{} chose kernels '{}' for this CPU; with {} in the environment its dgemm makes {} instead of {}",
                                  library.installed.name, library.identity.kernels, best->setting, format_flop_rate(best->dgemm_flops),
                                  format_flop_rate(library.dgemm_flops)));
    }
  }
  if (libraries.empty()) {
    lines.emplace_back("no BLAS or LAPACK library is installed; on Debian: apt-get install libopenblas0-serial liblapack3");
  }
  return lines;
}

std::string to_text(const MachineReport& found, const CommonOptions& common) {
  std::string text = fmt::format("CPU        {}\nClock      {}\nFrequency  {}\nNoise      {}\n\n", cpu_text(found.topology),
                                 clock_text(found), frequency_text(found), machine::judgement(found.noise));
  const auto caches = [&](const MachineMeasurement& measurement, const std::string& core) {
    return fmt::format("Caches and memory, measured on one {}core ({}, {}):\n\n{}\n", core,
                       measurement.sweep.huge_pages ? "huge pages" : "small pages", measurement.quick ? "coarse sweep" : "full sweep",
                       render(cache_table(measurement), common));
  };
  const std::vector<machine::CoreKind>& kinds = found.topology.kinds;
  text += caches(found.measurement, kinds.empty() ? "" : kinds.front().name + ' ');
  for (std::size_t k = 0; k < found.of_kinds.size(); ++k) {
    text += caches(found.of_kinds[k], kinds[k + 1].name + ' ');
  }
  text += shares_text(*found.measurement.bandwidth_shares);
  text += fmt::format("BLAS and LAPACK libraries:\n\n{}", render(library_table(found.libraries), common));
  const std::vector<std::string> notable = findings(found);
  for (std::size_t i = 0; i < notable.size(); ++i) {
    text += fmt::format("{}- {}\n", i == 0 ? "\n" : "", notable[i]);
  }
  return text;
}

nlohmann::json library_json(const LibraryReport& library) {
  nlohmann::json trials = nlohmann::json::array();
  for (const machine::KernelTrial& trial : library.trials) {
    trials.push_back({{"setting", trial.setting}, {"kernels", trial.kernels}, {"dgemm_flops", trial.dgemm_flops}});
  }
  return {{"name", library.installed.name},
          {"path", library.installed.path},
          {"has_blas", library.installed.has_blas},
          {"has_lapack", library.installed.has_lapack},
          {"identity", library.identity},
          {"dgemm_flops", library.dgemm_flops},
          {"trials", trials},
          {"failure", library.failure}};
}

nlohmann::json clock_json(const ClockQuality& quality) {
  return {{"resolution_seconds", quality.resolution}, {"overhead_seconds", quality.overhead}};
}

nlohmann::json caches_json(const std::vector<machine::ReportedCache>& caches) {
  nlohmann::json reported = nlohmann::json::array();
  for (const machine::ReportedCache& cache : caches) {
    reported.push_back({{"level", cache.level},
                        {"bytes", cache.bytes},
                        {"line_bytes", cache.line_bytes},
                        {"associativity", cache.associativity},
                        {"cores", cache.cores}});
  }
  return reported;
}

nlohmann::json kinds_json(const MachineReport& found) {
  nlohmann::json kinds = nlohmann::json::array();
  for (std::size_t k = 0; k < found.topology.kinds.size(); ++k) {
    const machine::CoreKind& kind = found.topology.kinds[k];
    kinds.push_back({{"name", kind.name},
                     {"cpus", kind.cpus},
                     {"cores", kind.cores},
                     {"most_hertz", kind.max_hertz},
                     {"caches", caches_json(kind.caches)}});
    if (k > 0 && k <= found.of_kinds.size()) {
      kinds.back()["measured"] = found.of_kinds[k - 1];
    }
  }
  return kinds;
}

nlohmann::json to_json(const MachineReport& found) {
  const Topology& topology = found.topology;
  nlohmann::json libraries = nlohmann::json::array();
  for (const LibraryReport& library : found.libraries) {
    libraries.push_back(library_json(library));
  }
  for (const machine::SlowDgemm& slow : found.slow) {
    libraries[slow.library]["expected_dgemm_flops"] = slow.expected;
  }
  return {{"schema", "flopcast-machine-1"},
          {"fingerprint", machine::hardware_fingerprint(topology)},
          {"topology",
           {{"cpu", topology.cpu},
            {"sockets", topology.sockets},
            {"cores", topology.cores},
            {"hardware_threads", topology.hardware_threads},
            {"numa_nodes", topology.numa_nodes},
            {"usable_cpus", topology.usable},
            {"usable_cores", topology.usable_cores},
            {"cpu_quota", topology.cpu_quota},
            {"memory_bytes", topology.memory_bytes},
            {"kinds", kinds_json(found)},
            {"caches", caches_json(topology.caches)}}},
          {"clock",
           {{"invariant_tsc", topology.invariant_tsc},
            {"ticks_per_second", found.ticks_per_second},
            {"wall", clock_json(found.wall)},
            {"thread_cpu", clock_json(found.cpu)}}},
          {"frequency_hertz", found.frequency},
          {"nominal_hertz", topology.nominal_hertz},
          {"noise",
           {{"spread", found.noise.spread},
            {"disturbed_share", found.noise.disturbed_share},
            {"stolen_share", found.noise.stolen_share},
            {"slice_seconds", found.noise.slice},
            {"judgement", machine::judgement(found.noise)}}},
          {"measured", found.measurement},
          {"findings", findings(found)},
          {"libraries", libraries}};
}

}  // namespace

void add_machine_command(OptionSet& app, CommonOptions& common) {
  OptionSet command = app.add_command("machine", "Show this machine: CPU, measured caches, clocks, noise, BLAS and LAPACK libraries");
  auto options = std::make_shared<machine::DetectOptions>();
  command.flag("--refresh", options->refresh, "Measure caches and memory again (up to 15 s), though they were measured before");
  command.flag("--quick", options->quick, "Measure caches and memory with a coarser sweep (a few seconds)");
  command.footer("Examples:\n  flopcast machine\n  flopcast machine --refresh --json --output machine.json");
  command.action([options, &common] {
    options->progress = run_context(common).step("caches");
    const MachineReport found = examine(*options, common);
    if (common.json) {
      emit(to_json(found), common);
    } else {
      emit(common.csv ? render(cache_table(found.measurement), common) : to_text(found, common), common);
    }
  });
}

}  // namespace flopcast::cli
