#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flopcast/core/environment.hpp"
#include "flopcast/machine/caches/cache_levels.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/machine_file.hpp"

namespace flopcast::machine {

/// Options of the detection of an environment.
struct DetectOptions {
  bool refresh = false;             ///< measure again, though it was measured before
  bool quick = false;               ///< measure with the coarser sweep
  std::filesystem::path directory;  ///< where measurements are kept; empty: machine_directory()
  SweepProgress progress;           ///< called at each step of a measurement
  /// Called with the reason why a measurement can't be written. It is then kept until the process ends; without this function, the refusal is an error.
  std::function<void(const std::string& reason)> unkept;
  std::function<bool()> is_busy;      ///< returns whether other programs keep cores busy; empty: half a second of computing shows it
  std::function<CacheSweep()> sweep;  ///< measures the caches; empty: sweep_caches()
};

/// Caches and memory of this machine as measured on its fastest kind of cores (restricted_to() selects the others). They come from the file
/// of an earlier run (microseconds), or are measured now (up to 15 s) and kept. Measurements beside other programs are made again once
/// they have ended (half a second shows that). If no cache shows then, they stay, and this process tries no more. Throws unusable_measurement
/// if no cache shows and none was measured before, or if the sweep is interrupted; environment_error if the file can't be written and
/// options.unkept is empty.
MachineMeasurement measured_machine(const Topology& topology, const DetectOptions& options = {});

/// Returns whether caches and memory were measured before, so that measured_machine() doesn't measure them. An empty `directory` is
/// machine_directory(). Throws as machine_directory().
bool is_measured(const Topology& topology, const std::filesystem::path& directory = {});

/// Keeps the rates of libraries' dgemm (MachineMeasurement::dgemm_rates) that are better than those kept before. Throws as measured_machine.
void keep_dgemm_rates(const Topology& topology, const std::map<std::string, double>& rates, DetectOptions options = {});

/// Share of one core's bandwidth that each of several cores gets. The shares are kept with the machine's measurement, and measured anew
/// (tens of milliseconds) whenever that is. Throws as measured_machine and measure_bandwidth_shares.
std::vector<BandwidthShare> measured_bandwidth_shares(const Topology& topology, DetectOptions options = {});
/// Returns measured_bandwidth_shares, or nothing where the shares can't be measured (threads may not be pinned, memory is short). The
/// caller then assumes that threads don't disturb each other. Shares that can't be written are kept until the process ends. Throws as
/// measured_machine.
std::vector<BandwidthShare> bandwidth_shares_if_measurable(const Topology& topology, DetectOptions options = {});

/// The environment of measurements with `libraries` and `threads` threads, which are set. Throws as measured_machine and
/// LibrarySet::set_threads.
Environment detect(const LibrarySet& libraries, int threads = 1, const DetectOptions& options = {});

/// Digest of CPU, cores and caches as reported; no measurement changes it.
std::string hardware_fingerprint(const Topology& topology);
/// Digest of the hardware and of both libraries' builds, versions and kernels.
std::string fingerprint(const Topology& topology, const LibraryIdentity& blas, const LibraryIdentity& lapack);

}  // namespace flopcast::machine
