#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "flopcast/machine/caches/shared_bandwidth.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"

namespace flopcast {

/// The measurements of which a machine report consists. Tests replace them by values.
struct MachineServices {
  std::function<machine::Topology()> topology;
  std::function<std::vector<machine::InstalledLibrary>()> installed;
  std::function<machine::LibraryReport(const machine::InstalledLibrary& library)> inspect;
  /// Measures caches and memory, or returns what was measured before.
  std::function<machine::MachineMeasurement(const machine::Topology& topology)> caches;
  std::function<std::vector<machine::BandwidthShare>(const machine::Topology& topology)> bandwidth_shares;
  /// Keeps the rates of dgemm, by library_key(), for later runs.
  std::function<void(const machine::Topology& topology, const std::map<std::string, double>& rates)> keep_rates;
  std::function<ClockReport()> clock;
  std::function<void(Seconds)> pause;
};

MachineReport inspect_machine(const MachineServices& services, const RunContext& context);

}  // namespace flopcast
