#include "flopcast/tasks/modelling/machine_report.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <thread>
#include <utility>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/machine_services.hpp"

namespace flopcast {
namespace {

/// Measures caches and memory, and shares of bandwidth. The topology of another system has no shares, because no thread can be bound to its
/// CPUs.
machine::MachineMeasurement measured(const machine::Topology& topology, const MachineServices& services) {
  machine::MachineMeasurement found = services.caches(topology);
  found.bandwidth_shares = topology.this_system ? services.bandwidth_shares(topology) : std::vector<machine::BandwidthShare>();
  return found;
}

/// Times libraries that are slower than their kernels can be again, some seconds apart. Those that remain slow are reported. All rates are
/// kept, so that a later run in a slow minute knows better.
void time_slow_libraries_again(MachineReport& report, const MachineServices& services, const RunContext& context) {
  constexpr int max_rounds = 3;
  constexpr Seconds pause = 0.5;
  const auto slow = [&] { return machine::slow_libraries(report.libraries, report.measurement.dgemm_rates); };
  report.slow = slow();
  for (int round = 0; round < max_rounds && !report.slow.empty(); ++round) {
    services.pause(pause);
    for (const machine::SlowDgemm& one : report.slow) {
      context.throw_if_cancelled("nothing is kept");
      machine::LibraryReport& before = report.libraries[one.library];
      if (machine::LibraryReport again = services.inspect(before.installed); again.dgemm_flops > before.dgemm_flops) {
        before = std::move(again);
      }
    }
    report.slow = slow();
  }
  std::map<std::string, double> rates;
  for (const machine::LibraryReport& library : report.libraries) {
    if (library.dgemm_flops > 0) {
      rates[machine::library_key(library.identity)] = library.dgemm_flops;
    }
  }
  services.keep_rates(report.topology, rates);
}

ClockReport clock_report() {
  constexpr Seconds calibration = 0.05;
  constexpr int operations = 1 << 20;
  const machine::WallClock clock(calibration);
  ClockReport report;
  report.wall = machine::quality(clock);
  report.thread_cpu = machine::thread_cpu_clock_quality();
  report.uses_counter = clock.uses_counter();
  report.ticks_per_second = clock.ticks_per_second();
  report.noise = machine::measure_noise(clock);
  report.core_hertz = machine::core_frequency(clock, operations);
  return report;
}

}  // namespace

MachineReport inspect_machine(const MachineServices& services, const RunContext& context) {
  MachineReport report;
  report.topology = services.topology();
  const std::vector<machine::InstalledLibrary> installed = services.installed();
  const auto inspected = context.step("libraries");
  for (const machine::InstalledLibrary& library : installed) {
    report.libraries.push_back(services.inspect(library));
    context.throw_if_cancelled("nothing was measured yet");
    inspected(static_cast<std::int64_t>(report.libraries.size()), static_cast<std::int64_t>(installed.size()));
  }
  report.measurement = measured(report.topology, services);
  time_slow_libraries_again(report, services, context);
  const std::vector<machine::CoreKind>& kinds = report.topology.kinds;
  for (std::size_t k = 1; k < kinds.size() && report.topology.this_system; ++k) {
    report.other_kinds.push_back(services.caches(restricted_to(report.topology, kinds[k].name)));
  }
  report.clock = services.clock();
  return report;
}

MachineReport inspect_machine(const MachineRequest& request, const RunContext& context) {
  const machine::DetectOptions options{request.fresh, request.quick, request.directory, context.step("caches"), context.unkept, {}};
  const MachineServices services{machine::detect_topology,
                                 [] { return machine::installed_libraries(); },
                                 [](const machine::InstalledLibrary& library) { return machine::inspect(library, true); },
                                 [&](const machine::Topology& topology) { return machine::measured_machine(topology, options); },
                                 [&](const machine::Topology& topology) { return machine::measured_bandwidth_shares(topology, options); },
                                 [&](const machine::Topology& topology, const std::map<std::string, double>& rates) {
                                   machine::keep_dgemm_rates(topology, rates, options);
                                 },
                                 clock_report,
                                 [](Seconds seconds) { std::this_thread::sleep_for(std::chrono::duration<Seconds>(seconds)); }};
  return inspect_machine(services, context);
}

namespace {

/// Adds the levels for which the system reports a capacity outside of the measured interval, and twice or half the measured one or beyond.
void add_disagreements(const machine::MachineMeasurement& measurement, std::vector<std::string>& lines) {
  for (const CacheLevel& level : measurement.hierarchy.levels) {
    const std::int64_t reported = level.reported_bytes;
    const bool is_outside = reported > level.capacity_high_bytes || reported < level.capacity_low_bytes;
    if (reported > 0 && is_outside && (reported >= 2 * level.capacity_bytes || 2 * reported <= level.capacity_bytes)) {
      lines.push_back(fmt::format(
          "the system reports {} for {}, and {} were measured ({} to {}). Predictions take what was measured: the system of a virtual "
          "machine "
          "often reports what its host has, or what one process among several may not use",
          format_bytes(static_cast<double>(reported)), level.name, format_bytes(static_cast<double>(level.capacity_bytes)),
          format_bytes(static_cast<double>(level.capacity_low_bytes)), format_bytes(static_cast<double>(level.capacity_high_bytes))));
    }
  }
}

}  // namespace

std::vector<std::string> findings(const MachineReport& report) {
  std::vector<std::string> lines;
  add_disagreements(report.measurement, lines);
  for (const machine::MachineMeasurement& other : report.other_kinds) {
    add_disagreements(other, lines);
  }
  if (report.measurement.busy_cores > machine::OtherLoad::much) {
    lines.push_back(
        fmt::format("the machine was noisy: other programs kept {:.1f} cores busy while caches and memory were measured, so "
                    "that levels, sizes and bandwidths may be wrong; they are measured again once the machine is idle",
                    report.measurement.busy_cores));
  }
  for (const machine::SlowDgemm& slow : report.slow) {
    const machine::LibraryReport& library = report.libraries[slow.library];
    lines.push_back(
        fmt::format("the machine is noisy: dgemm of {} makes {} now, and its kernels are known to make {}; measure again when "
                    "the machine is idle",
                    library.installed.name, format_flop_rate(library.dgemm_flops), format_flop_rate(slow.expected)));
  }
  for (const machine::LibraryReport& library : report.libraries) {
    if (!library.failure.empty()) {
      lines.push_back(fmt::format("{} can't be used: {}", library.installed.path, library.failure));
    } else if (const machine::KernelTrial* best = library.better()) {
      lines.push_back(fmt::format("{} chose kernels '{}' for this CPU; with {} in the environment its dgemm makes {} instead of {}",
                                  library.installed.name, library.identity.kernels, best->setting, format_flop_rate(best->dgemm_flops),
                                  format_flop_rate(library.dgemm_flops)));
    }
  }
  if (report.libraries.empty()) {
    lines.emplace_back("no BLAS or LAPACK library is installed; on Debian: apt-get install libopenblas0-serial liblapack3");
  }
  return lines;
}

}  // namespace flopcast
