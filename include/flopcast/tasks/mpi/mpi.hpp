#pragma once

/// Critical paths of MPI programs, tuning by selective execution, and simulation of programs on other machines.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"
#include "flopcast/workbench/workbench.hpp"

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
  Seconds own_code_on_path = 0;  ///< time of its code outside of kernels on the critical path
  friend bool operator==(const SimulatedProcess&, const SimulatedProcess&) = default;
};

/// Result for one number of processes.
struct SimulatedRun {
  int ranks = 0;
  Seconds seconds = 0;
  std::string blas, lapack;   ///< files of the program's libraries; empty if it has none
  bool path_complete = true;  ///< false if a process had more events than are kept
  path::Costs critical_path;
  Seconds own_code = 0;  ///< the program's own code there: computation outside of kernels
  std::optional<MpiEfficiencies> efficiencies;
  std::optional<MpiTimeline> timeline;
  std::vector<MpiWaiting> waits;  ///< the longest ones by falling time
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

/// MPI libraries whose programs flopcast traces.
enum class MpiLibrary : unsigned char { openmpi, mpich };

/// Settings of one process of an MPI program that is traced. The meaning of each member is in its line of the table (requests.cpp), as for
/// all requests of this folder.
struct MpiRunRequest {
  std::vector<std::string> command;
  std::optional<MpiLibrary> mpi;
  protocol::MpiClock clock = protocol::MpiClock::automatic;
  selective::Policy policy = selective::Policy::full;
  selective::TimePrecision precision;
  bool across_sizes = false;
  bool windows = true;
  bool thread_multiple = true;
  std::string kernels = "auto";
  Timeout timeout = 60;
  std::string prior_profile;
  std::int64_t max_events = 0;
  bool reads_profile = true;  ///< fill MpiRunResult::profile
  /// Files of tune_mpi(): the executions to make (protocol::MpiExecution), and their results.
  std::string executions, results;
};

/// A program whose processes are started by `launcher`, each under the program flopcast.
struct MpiLaunchRequest {
  std::vector<std::string> launcher;
  MpiRunRequest run;
};

/// Result of one process of an MPI program.
struct MpiRunResult {
  int exit_code = 0;      ///< the program's, 128 plus the signal that ended it, or 5 if the program was stopped
  bool is_first = false;  ///< the process had rank 0, or its rank is unknown
  bool stopped = false;   ///< the program met no new kernel for the request's timeout
  std::string document;   ///< profile of the whole program as its library wrote it (flopcast-mpi-profile-1); only of the first process
  std::optional<MpiProfile> profile;
  std::string missing_reason;         ///< reason for which the first process has no profile: "the program never called MPI_Init"
  bool uses_sessions = false;         ///< the program uses sessions in place of MPI_Init, and so has no profile in any case
  std::vector<std::string> warnings;  ///< facts that limit the profile's meaning
};

/// Runs one process of an MPI program in the place that mpirun gave to this process, and waits for its end. The program shares this
/// process's input and output. Throws environment_error if the program can't be traced, usage_error if it is linked with another MPI than
/// the request's, bad_input for a prior profile that can't be read. mpirun's other processes must run with flopcast as well.
[[nodiscard]] MpiRunResult run_mpi(const MpiRunRequest& request, const RunContext& context = {});

/// Returns the events of a profile (MpiTimeline::events) in the trace event format, which Perfetto and chrome://tracing read. Each rank is a
/// process with the tracks `program` and `critical path`. Flows lead along the path from rank to rank. Throws bad_input without events. The
/// document is `flopcast-mpi-timeline-1`.
[[nodiscard]] std::string trace_events_of(const MpiProfile& profile);

/// Predicts every configuration of an MPI program by selective execution, in few launches. A space that only names its file is read. Kernel
/// times are kept in the store of `bench`.
/// The processes run under the program `flopcast`, which is found beside flopcast's components. Throws environment_error for programs that
/// are missing, bad_input for policies that predict nothing, unusable_measurement if the program fails in all configurations or flopcast
/// sees too little of it, Cancelled.
[[nodiscard]] MpiTuning tune_mpi(const Workbench& bench, const MpiTuneRequest& request, const RunContext& context = {});

/// Settings of advice on a routine of ScaLAPACK.
struct MpiAdviseRequest {
  std::string routine;
  std::int64_t n = 0;
  int ranks = 0;
  MpiLibrary mpi = MpiLibrary::openmpi;
  std::string launcher, library;
  Duration time_budget = 120;
};

/// Finds the fastest way to call a routine of ScaLAPACK on an n x n matrix with at most `ranks` cores: process grid, block size, threads of
/// each process, and cores left idle. Each configuration is predicted as tune_mpi() does, and those that tie with the best are executed in
/// full. The settings have the members "grid" (rows x columns), "nb" and "threads". Kernel times are kept in the store of `bench`. Throws
/// bad_input for a matrix that exceeds the memory, environment_error without ScaLAPACK or its MPI, unusable_measurement if the routine fails
/// in all configurations, Cancelled.
[[nodiscard]] MpiTuning advise_mpi(const Workbench& bench, const MpiAdviseRequest& request, const RunContext& context = {});

/// Predicts an MPI program on a hypothetical machine, with SimGrid. Kernels take the times that models predict; missing models are
/// measured and kept in the store of `bench`. A number of processes that can't be simulated is among the failures. Throws the last one's
/// error if all fail, environment_error without SimGrid, usage_error for machines that exclude each other, Cancelled.
[[nodiscard]] MpiSimulation simulate_mpi(const Workbench& bench, const MpiSimulateRequest& request, const RunContext& context = {});

/// Settings of a measurement of messages.
struct MpiDescribeRequest {
  MpiLibrary mpi = MpiLibrary::openmpi;
  std::string launcher;
};

/// Measures messages between two processes of this machine, and keeps the description in the store of `bench`. A disturbed measurement
/// doesn't replace an undisturbed one there. Throws environment_error if the processes can't be started, unusable_measurement for times
/// that don't grow with the size, Cancelled.
[[nodiscard]] scale::MachineDescription describe_mpi_machine(const Workbench& bench, const MpiDescribeRequest& request = {},
                                                             const RunContext& context = {});

/// Returns "openmpi" or "mpich".
[[nodiscard]] std::string to_string(MpiLibrary library);

template <>
Fields FieldTable<MpiRunRequest>::fields();
template <>
Fields FieldTable<MpiLaunchRequest>::fields();
template <>
Fields FieldTable<MpiTuneRequest>::fields();
template <>
Fields FieldTable<MpiAdviseRequest>::fields();
template <>
Fields FieldTable<MpiSimulateRequest>::fields();
template <>
Fields FieldTable<MpiDescribeRequest>::fields();

}  // namespace flopcast
