#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/machine/caches/cache_levels.hpp"
#include "flopcast/machine/caches/shared_bandwidth.hpp"

namespace flopcast::machine {

/// Measured properties of a machine, valid until they are measured again.
struct MachineMeasurement {
  std::string cpu;
  bool quick = false;     ///< true if the coarser sweep measured it
  double busy_cores = 0;  ///< cores that other programs kept busy while caches and memory were measured
  CacheSweep sweep;
  MemoryHierarchy hierarchy;
  std::optional<std::vector<BandwidthShare>> bandwidth_shares;  ///< ordered by rising numbers of threads; measured when first asked for
  std::map<std::string, double> peaks;                          ///< flops per second of one core, by library_key()
  std::map<std::string, int> peak_moments;                      ///< processes that measured that peak, of which the best one counts
  std::map<std::string, double> dgemm_rates;                    ///< the best rate that inspect() has seen of a library, by library_key()
  friend bool operator==(const MachineMeasurement&, const MachineMeasurement&) = default;
};

/// $FLOPCAST_HOME, else $XDG_CACHE_HOME/flopcast, else ~/.cache/flopcast. Throws environment_error if none of the variables is set.
std::filesystem::path machine_directory();

/// Reads a measurement; nothing if there is no such file or it is incomplete (the caller then measures anew).
std::optional<MachineMeasurement> read_measurement(const std::filesystem::path& file);
/// Writes the measurement in one step: a reader sees the old or the new file. Creates the directory. Throws environment_error on failure.
void write_measurement(const std::filesystem::path& file, const MachineMeasurement& measurement);

}  // namespace flopcast::machine
