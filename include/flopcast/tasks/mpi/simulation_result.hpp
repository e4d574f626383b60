#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/space.hpp"

namespace flopcast {

/// Machine on which a program is simulated. At most one of a description, a platform and costs of messages may be given.
struct MpiMachineChoice {
  std::string machine, platform;
  std::optional<Latency> latency;
  std::optional<BytesPerSecond> bandwidth;
  int cores_per_node = 0;
};

/// Settings of a simulation.
struct MpiSimulateRequest {
  std::vector<std::string> command;
  RankCounts ranks;
  MpiMachineChoice machine;
  Duration time_budget = 20;
  std::string kernels = "auto";
  bool only_kernels = false;
  bool show_output = false;
};

/// A kernel of a simulated program.
struct SimulatedKernel {
  std::string name;  ///< for readers
  selective::KernelKind kind = selective::KernelKind::computation;
  std::string routine;
  std::vector<std::int64_t> words;  ///< sizes and flags
  MpiTimes all;                     ///< in all processes
  MpiTimes along;                   ///< along the critical path
  bool known = true;                ///< a model predicts its time; otherwise it is assumed to run with 20 GFLOP/s
  double flops = 0;                 ///< flops of one execution
  friend bool operator==(const SimulatedKernel&, const SimulatedKernel&) = default;
};

/// One simulated process.
struct SimulatedProcess {
  Seconds seconds = 0, computation = 0, communication = 0, waiting = 0;
  double messages = 0, message_bytes = 0, flops = 0;
  friend bool operator==(const SimulatedProcess&, const SimulatedProcess&) = default;
};

/// Result for one number of processes.
struct SimulatedRun {
  int ranks = 0;
  Seconds seconds = 0;
  std::string blas, lapack;   ///< files of the program's libraries; empty if it has none
  bool path_complete = true;  ///< false if a process had more events than are kept
  path::Costs critical_path;
  std::vector<SimulatedProcess> processes;
  std::vector<SimulatedKernel> kernels;
  Seconds simulation_seconds = 0;  ///< wall time of the simulation
  friend bool operator==(const SimulatedRun&, const SimulatedRun&) = default;

  /// Returns the time of computational kernels on the critical path.
  [[nodiscard]] Seconds kernel_seconds() const noexcept;
  /// Returns the time, of all processes together, of kernels that no model predicts.
  [[nodiscard]] Seconds unknown_seconds() const noexcept;
};

/// A number of processes that couldn't be simulated.
struct SimulationFailure {
  int ranks = 0;
  std::string reason;
  int exit_code = 0;  ///< number of the error's kind (ExitCode)
  friend bool operator==(const SimulationFailure&, const SimulationFailure&) = default;
};

/// Result of a simulation.
struct MpiSimulation {
  std::optional<scale::MachineDescription> machine;  ///< nothing if a platform file describes the machine
  std::string platform;                              ///< the platform file; empty if there is none
  std::vector<SimulatedRun> runs;
  std::vector<SimulationFailure> failures;
  friend bool operator==(const MpiSimulation&, const MpiSimulation&) = default;
};

/// Returns the document `flopcast-mpi-simulation-1`.
[[nodiscard]] std::string to_json(const MpiSimulation& simulation);
/// Inverse of to_json(). Throws bad_input for members that are missing or wrong.
[[nodiscard]] MpiSimulation mpi_simulation_from_json(std::string_view text);

}  // namespace flopcast
