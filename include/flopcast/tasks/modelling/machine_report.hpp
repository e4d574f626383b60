#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/machine/cpu/clock.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/libraries/inspect_library.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"

/// A report on this machine, for `flopcast machine`.
namespace flopcast {

struct MachineRequest {
  bool fresh = false;
  bool quick = false;
  std::filesystem::path directory = {};  ///< folder of the kept measurements; empty: machine::machine_directory()
};
template <>
Fields FieldTable<MachineRequest>::fields();

/// The clocks of this machine and its speed at present.
struct ClockReport {
  machine::ClockQuality wall, thread_cpu;
  bool uses_counter = false;    ///< the wall clock is the time stamp counter
  double ticks_per_second = 0;  ///< rate of the wall clock
  double core_hertz = 0;        ///< clock of the core now
  machine::NoiseLevel noise;
  friend bool operator==(const ClockReport&, const ClockReport&) = default;
};

struct MachineReport {
  machine::Topology topology;
  machine::MachineMeasurement measurement;               ///< caches and memory, measured on the fastest kind of cores
  std::vector<machine::MachineMeasurement> other_kinds;  ///< caches and memory of the other kinds, in the topology's order; may be empty
  ClockReport clock;
  std::vector<machine::LibraryReport> libraries;
  std::vector<machine::SlowDgemm> slow;  ///< libraries that stayed slower than their kernels are known to be
  friend bool operator==(const MachineReport&, const MachineReport&) = default;
};

/// Examines the machine: topology, caches and memory (measured unless that was done before), clocks, noise, and the BLAS and LAPACK
/// libraries with their kernels and rates, which child processes load. A library that is slower than its kernels can be is timed again.
/// Throws environment_error and unusable_measurement as machine::measured_machine does, and Cancelled if the context cancels. Call it before
/// libraries are opened in this process, because the children inherit what is loaded.
MachineReport inspect_machine(const MachineRequest& request = {}, const RunContext& context = {});

/// Returns sentences about caches for which the system and the measurement disagree, and about libraries: those that can't be used, and
/// those that chose slow kernels or were slow just now.
std::vector<std::string> findings(const MachineReport& report);

/// Returns the document {"schema": "flopcast-machine-2", ...}. The reader returns an equal value, and throws bad_input for a damaged document.
std::string to_json(const MachineReport& report);
MachineReport machine_report_from_json(std::string_view text);

}  // namespace flopcast
