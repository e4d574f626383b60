#include "flopcast/machine/detect_environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/libraries/dgemm_peak.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/no_fork_scope.hpp"

namespace flopcast::machine {
namespace {

std::filesystem::path measurement_file(const Topology& topology, const DetectOptions& options) {
  const std::filesystem::path directory = options.directory.empty() ? machine_directory() : options.directory;
  return directory / fmt::format("machine-{}.json", hardware_fingerprint(topology));
}

/// This holds what no file does, by folder and hardware: measurements that couldn't be written, and where no cache showed though caches were
/// measured before. Several threads may use it.
class ProcessMemory {
 public:
  static ProcessMemory& instance() {
    static ProcessMemory memory;
    return memory;
  }
  [[nodiscard]] std::optional<MachineMeasurement> find(const Topology& topology, const std::filesystem::path& directory) {
    const ForkSafeLock lock(mutex_);
    const auto found = unwritten_.find(directory / hardware_fingerprint(topology));
    return found == unwritten_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const Topology& topology, const std::filesystem::path& directory, const MachineMeasurement& measurement) {
    const ForkSafeLock lock(mutex_);
    unwritten_[directory / hardware_fingerprint(topology)] = measurement;
  }
  [[nodiscard]] bool no_cache_showed(const Topology& topology, const std::filesystem::path& directory) {
    const ForkSafeLock lock(mutex_);
    return without_caches_.count(directory / hardware_fingerprint(topology)) > 0;
  }
  void keep_that_no_cache_showed(const Topology& topology, const std::filesystem::path& directory) {
    const ForkSafeLock lock(mutex_);
    without_caches_.insert(directory / hardware_fingerprint(topology));
  }

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, MachineMeasurement> unwritten_;
  std::set<std::filesystem::path> without_caches_;
};

/// Returns the measurement that this process or an earlier one has kept.
std::optional<MachineMeasurement> kept_measurement(const Topology& topology, const DetectOptions& options) {
  if (std::optional<MachineMeasurement> unwritten = ProcessMemory::instance().find(topology, options.directory)) {
    return unwritten;
  }
  try {
    return read_measurement(measurement_file(topology, options));
  } catch (const Error&) {  // there is no folder
    if (!options.unkept) {
      throw;
    }
    return std::nullopt;
  }
}

void keep_measurement(const Topology& topology, const MachineMeasurement& measurement, const DetectOptions& options) {
  try {
    write_measurement(measurement_file(topology, options), measurement);
  } catch (const Error& error) {
    if (!options.unkept) {
      throw;
    }
    ProcessMemory::instance().keep(topology, options.directory, measurement);
    options.unkept(error.what());
  }
}

/// Measures the machine's caches and memory. The result has no level where no cache shows, as under valgrind.
MachineMeasurement measure(const Topology& topology, const DetectOptions& options) {
  MachineMeasurement measurement;
  const PinnedFor pinned(cpus_to_measure_on(topology));
  measurement.cpu = topology.cpu;
  measurement.quick = options.quick;
  const OtherLoad others;
  measurement.sweep =
      options.sweep ? options.sweep() : sweep_caches(WallClock(), options.quick ? quick_sweep() : SweepOptions(), options.progress);
  measurement.busy_cores = others.cores().value_or(0);
  measurement.hierarchy = cache_levels(measurement.sweep, topology.caches);
  return measurement;
}

/// Looks for half a second whether other programs keep cores busy. Their load shows only beside some of our own.
bool others_are_busy() {
  constexpr Seconds long_enough = 0.6;
  const OtherLoad others;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<Seconds>(std::chrono::steady_clock::now() - begin).count() < long_enough) {
  }
  return others.cores().value_or(0) > OtherLoad::much;
}

/// Returns whether a measurement counts for now: it was made on a quiet machine, no better one can be made, or the machine is still as busy
/// as it was.
bool still_counts(const MachineMeasurement& kept, const Topology& topology, const DetectOptions& options) {
  return kept.busy_cores <= OtherLoad::much || ProcessMemory::instance().no_cache_showed(topology, options.directory) ||
         (options.is_busy ? options.is_busy() : others_are_busy());
}

/// The library's peak on one core, kept with the machine's measurement. A machine may be slow for a minute, so that no measurement in that
/// minute shows the peak. Therefore the first few processes that ask for the peak measure it anew, and the best result counts.
double kept_peak(MachineMeasurement& measurement, const Topology& topology, const LibrarySet& libraries, const DetectOptions& options) {
  constexpr int moments = 3;
  const std::string key = library_key(libraries.blas());
  if (options.refresh) {
    measurement.peaks.erase(key);
    measurement.peak_moments.erase(key);
  }
  if (measurement.peak_moments[key] >= moments) {
    return measurement.peaks[key];
  }
  const PinnedFor pinned(cpus_to_measure_on(topology));
  libraries.set_threads(1);
  double& peak = measurement.peaks[key];
  peak = std::max(peak, peak_flops(WallClock(), libraries.function("dgemm")));
  ++measurement.peak_moments[key];
  keep_measurement(topology, measurement, options);
  return peak;
}

}  // namespace

std::string hardware_fingerprint(const Topology& topology) {
  std::string text = fmt::format("{};{} cores;", topology.cpu, topology.cores);
  for (const ReportedCache& cache : topology.caches) {
    text += fmt::format("L{} {} bytes;", cache.level, cache.bytes);
  }
  if (!topology.kinds.empty()) {
    text += fmt::format("measured on {} cores;", topology.kinds.front().name);
  }
  return hexadecimal_digest(text);
}

std::string fingerprint(const Topology& topology, const LibraryIdentity& blas, const LibraryIdentity& lapack) {
  return hexadecimal_digest(fmt::format("{};{};{}", hardware_fingerprint(topology), library_key(blas), library_key(lapack)));
}

bool is_measured(const Topology& topology, const std::filesystem::path& directory) {
  DetectOptions options;
  options.directory = directory;
  return kept_measurement(topology, options).has_value();
}

MachineMeasurement measured_machine(const Topology& topology, const DetectOptions& options) {
  std::optional<MachineMeasurement> kept = options.refresh ? std::nullopt : kept_measurement(topology, options);
  if (kept && still_counts(*kept, topology, options)) {
    return *std::move(kept);
  }
  MachineMeasurement measurement = measure(topology, options);
  if (measurement.hierarchy.levels.empty()) {
    if (kept) {  // one of a busy machine is better than none
      ProcessMemory::instance().keep_that_no_cache_showed(topology, options.directory);
      return *std::move(kept);
    }
    throw unusable_measurement("no cache shows in {} working sets from {} to {}; try again on a less busy machine",
                               measurement.sweep.triad.size(), format_bytes(measurement.sweep.triad.front().x),
                               format_bytes(measurement.sweep.triad.back().x));
  }
  if (kept) {
    measurement.dgemm_rates = std::move(kept->dgemm_rates);  // the best ones count, whenever they were seen
  }
  keep_measurement(topology, measurement, options);
  return measurement;
}

namespace {

/// Bandwidth shares of a machine whose caches were measured; shares that are measured here are kept.
std::vector<BandwidthShare> bandwidth_shares_of(MachineMeasurement measurement, const Topology& topology, const DetectOptions& options) {
  if (!measurement.bandwidth_shares) {
    constexpr std::int64_t part_of_memory = 8;
    measurement.bandwidth_shares = measure_bandwidth_shares(WallClock(), topology.places, busy_cores(topology.places, topology.cpu_quota),
                                                            measurement.hierarchy, topology.memory_bytes / part_of_memory);
    keep_measurement(topology, measurement, options);
  }
  return *measurement.bandwidth_shares;
}

}  // namespace

void keep_dgemm_rates(const Topology& topology, const std::map<std::string, double>& rates, DetectOptions options) {
  options.refresh = false;
  MachineMeasurement measurement = measured_machine(topology, options);
  for (const auto& [library, rate] : rates) {
    double& best = measurement.dgemm_rates[library];
    best = std::max(best, rate);
  }
  keep_measurement(topology, measurement, options);
}

std::vector<BandwidthShare> measured_bandwidth_shares(const Topology& topology, DetectOptions options) {
  options.refresh = false;  // what refreshes the caches forgets the shares
  return bandwidth_shares_of(measured_machine(topology, options), topology, options);
}

std::vector<BandwidthShare> bandwidth_shares_if_measurable(const Topology& topology, DetectOptions options) {
  if (!options.unkept) {
    options.unkept = [](const std::string&) {};
  }
  MachineMeasurement measurement = measured_machine(topology, options);
  try {
    return bandwidth_shares_of(std::move(measurement), topology, options);
  } catch (const Error& error) {
    if (error.code() != ExitCode::environment) {
      throw;
    }
    return {};
  }
}

Environment detect(const LibrarySet& libraries, int threads, const DetectOptions& options) {
  const Topology topology = detect_topology();
  MachineMeasurement measurement = measured_machine(topology, options);
  Environment environment;
  environment.cpu = topology.cpu;
  environment.cores = topology.usable_cores;
  environment.caches = measurement.hierarchy.levels;
  for (std::size_t i = 0; i < std::min(environment.caches.size(), measurement.hierarchy.patterns.size()); ++i) {
    environment.caches[i].serial_chase_bytes = measurement.hierarchy.patterns[i].serial_chase;
    environment.caches[i].parallel_chase_bytes = measurement.hierarchy.patterns[i].parallel_chase;
  }
  environment.memory_bandwidth = measurement.hierarchy.memory_bandwidth;
  environment.peak_flops = kept_peak(measurement, topology, libraries, options);
  environment.blas = libraries.blas();
  environment.lapack = libraries.lapack();
  environment.threads = threads;
  environment.affinity = format_cpu_list(topology.usable);
  environment.fingerprint = fingerprint(topology, environment.blas, environment.lapack);
  libraries.set_threads(threads);
  return environment;
}

}  // namespace flopcast::machine
