#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/support/units.hpp"

/// Results of one execution of an MPI program, the document that `flopcast mpi run` writes.
namespace flopcast {

/// Name and version of the document.
inline constexpr const char* mpi_profile_schema = "flopcast-mpi-profile-1";

/// Mean and variance of a kernel's times in one execution of a program. They are infinite if the library that measured them overflowed.
struct MpiTimes {
  std::int64_t count = 0;
  Seconds mean = 0;
  double variance = 0;
  Seconds seconds = 0;  ///< sum of the times
  friend bool operator==(const MpiTimes&, const MpiTimes&) = default;
};

/// Returns the times as they are accumulated.
[[nodiscard]] selective::KernelStatistics statistics_of(const MpiTimes& times) noexcept;
/// Returns the times as they are written, with their sum.
[[nodiscard]] MpiTimes times_of(const selective::KernelStatistics& statistics) noexcept;

/// One kernel of a program: its times along the critical path, and those of its executions in all processes.
struct MpiKernel {
  std::string name;  ///< for readers: "dgemm m=64 n=64 k=64"
  selective::KernelKind kind = selective::KernelKind::computation;
  std::string routine;
  std::vector<std::int64_t> words;     ///< sizes and flags that the time is taken to depend on
  std::int64_t size_count = 0;         ///< number of a region's words that are sizes
  MpiTimes along;                      ///< along the critical path, measured or estimated
  MpiTimes executed;                   ///< all executions
  std::optional<MpiTimes> in_context;  ///< executions among their neighbours, if these were told apart
  std::int64_t skipped = 0;            ///< executions that were replaced by an estimate
  double flops = 0;                    ///< flops of one execution; 0 if unknown
  std::optional<std::string> where;    ///< place for which the times hold, if it isn't the whole document's
  friend bool operator==(const MpiKernel&, const MpiKernel&) = default;
};

/// Sums over the kernels of an execution.
struct MpiKernelSums {
  Seconds along = 0;          ///< on the critical path
  Seconds computation = 0;    ///< the part of that outside of MPI
  std::int64_t executed = 0;  ///< executions in all processes
  std::int64_t skipped = 0;   ///< executions that were replaced by an estimate
  double path_variance = 0;   ///< variance of the path's time from one execution to the next, in square seconds
  friend bool operator==(const MpiKernelSums&, const MpiKernelSums&) = default;

  /// Adds a kernel, whose `executed` or `skipped` may be 0. `representative` are the times of it that represent the program.
  void add(selective::KernelKind kind, const MpiTimes& along_path, const selective::KernelStatistics& representative,
           std::int64_t executions, std::int64_t skips) noexcept;
};

/// Returns the times of a kernel that represent the program: those of executions among their neighbours, if these were told apart.
[[nodiscard]] const MpiTimes& representative_times(const MpiKernel& kernel) noexcept;

/// Kernel times of one or several executions.
struct MpiKernelList {
  std::string where;  ///< place for which the times hold: MPI, clock, number of processes, BLAS
  selective::Policy policy = selective::Policy::full;
  std::vector<MpiKernel> kernels;
  friend bool operator==(const MpiKernelList&, const MpiKernelList&) = default;
};

/// The longest time that a process waited in calls of one routine for one other process.
struct MpiWait {
  std::string routine;              ///< MPI_Recv
  std::optional<int> awaited_rank;  ///< the other process; nothing if there are several
  Seconds seconds = 0;
  friend bool operator==(const MpiWait&, const MpiWait&) = default;
};

/// Causes of waiting for another process.
enum class MpiWaitKind : std::uint8_t {
  late_sender,    ///< a receive, or a wait for one, began before the message was sent
  late_receiver,  ///< a send, or a wait for one, began before the receive
  collective,     ///< another process came later to a collective communication
};

/// All waits of one process for another one at one place of the program.
struct MpiWaiting {
  int rank = 0;                     ///< the process that waited
  std::optional<int> awaited_rank;  ///< the process that was late; nothing if there are several, or it isn't known
  MpiWaitKind kind = MpiWaitKind::late_sender;
  std::string routine;  ///< MPI_Recv
  std::string region;   ///< open region of the program's own; empty if there is none
  std::string site;     ///< call of the routine: `solve (libsolver.so+0x11d2)`, `app+0x11d2`; empty if it isn't known
  std::int64_t count = 0;
  Seconds seconds = 0;
  friend bool operator==(const MpiWaiting&, const MpiWaiting&) = default;
};

/// Sorts the waits by falling time, and keeps at most MpiProfile::max_waits.
void keep_longest(std::vector<MpiWaiting>& waits);

/// Parallel efficiencies as the POP Centre of Excellence defines them ("POP Standard Metrics for Parallel Performance Analysis"), 0 to 1
/// each. Useful time u is the time of a process outside of MPI, and T is the time of the run. T0 is the time with a network that takes none:
/// the longest chain of useful time through the messages.
struct MpiEfficiencies {
  Seconds run = 0;                      ///< T
  std::optional<Seconds> ideal_run;     ///< T0; nothing for a part of the run
  double parallel = 0;                  ///< mean u / T, the product of the next two
  double load_balance = 0;              ///< mean u / max u
  double communication = 0;             ///< max u / T, the product of the next two
  std::optional<double> serialisation;  ///< max u / T0
  std::optional<double> transfer;       ///< T0 / T
  friend bool operator==(const MpiEfficiencies&, const MpiEfficiencies&) = default;
};

/// Returns the efficiencies for the useful time of each process; nothing if the run took no time or nothing was useful. `run` counts as the
/// greatest useful time if it is less by errors of measurement, and so does `ideal_run`.
[[nodiscard]] std::optional<MpiEfficiencies> pop_efficiencies(const std::vector<Seconds>& useful, Seconds run,
                                                              std::optional<Seconds> ideal_run = std::nullopt);

/// One process's own part of an execution.
struct MpiProcess {
  int rank = 0;
  std::string host;
  path::Costs own;
  Seconds on_path = 0;               ///< time of this process's kernels that lie on the critical path
  Seconds own_code_on_path = 0;      ///< time of the program's code between them that lies there
  Seconds cpu = 0;                   ///< CPU time of all of its threads
  Seconds without_core = 0;          ///< ready to run, but without a core
  Seconds program_without_core = 0;  ///< the part of that outside of MPI
  Seconds blocked = 0;               ///< outside of MPI neither computing nor ready to run: asleep, or waiting for a file
  std::optional<MpiWait> longest_wait;
  friend bool operator==(const MpiProcess&, const MpiProcess&) = default;
};

/// A region of the program's own, in all processes.
struct MpiRegion {
  std::string name;
  MpiEfficiencies efficiencies;
  friend bool operator==(const MpiRegion&, const MpiRegion&) = default;
};

/// Parts of equal bins of time, 0 to 1, that a process spent in each way.
struct MpiProcessTimeline {
  int rank = 0;
  std::vector<double> computation;    ///< in kernels and regions
  std::vector<double> own_code;       ///< outside of kernels and regions
  std::vector<double> communication;  ///< in MPI, without waiting
  std::vector<double> waiting;
  std::vector<double> on_path;  ///< with the critical path in the process
  friend bool operator==(const MpiProcessTimeline&, const MpiProcessTimeline&) = default;
};

/// An event of a process in detail: a kernel or a region, a call of MPI, or a part of the critical path.
struct MpiEvent {
  int rank = 0;
  std::string name;      ///< dgemm(NN, 100, 100, 64), MPI_Recv, critical path
  std::string category;  ///< computation, communication, region or path
  Seconds begin = 0;     ///< wall time since the start
  Seconds seconds = 0;
  friend bool operator==(const MpiEvent&, const MpiEvent&) = default;
};

/// Activities of processes over time, from the common start on.
struct MpiTimeline {
  static constexpr int max_processes = 64;  ///< beyond, every second process or fewer
  Seconds bin = 0;                          ///< width of a bin; a process has 240 at most
  std::vector<MpiProcessTimeline> processes;
  std::vector<MpiEvent> events;  ///< events of all processes, if they were asked for
  double omitted_events = 0;     ///< events without a place among these: short ones
  friend bool operator==(const MpiTimeline&, const MpiTimeline&) = default;
};

/// Digest of the MPI calls that one process made.
struct MpiCallSequence {
  std::int64_t calls = 0;
  std::string hash;  ///< digest of the calls and their arguments in their order
  friend bool operator==(const MpiCallSequence&, const MpiCallSequence&) = default;
};

/// Another tool in the process that defines MPI functions, too.
struct MpiOtherTool {
  std::string library;                        ///< file; empty for the program itself
  std::vector<std::string> functions;         ///< functions that the program calls first, and that call flopcast's
  std::vector<std::string> unseen_functions;  ///< functions that don't call flopcast's
  friend bool operator==(const MpiOtherTool&, const MpiOtherTool&) = default;
};

/// Messages that flopcast itself sent.
struct MpiTraffic {
  double messages = 0, bytes = 0, largest_bytes = 0;
  friend bool operator==(const MpiTraffic&, const MpiTraffic&) = default;
};

/// One execution of an MPI program.
struct MpiProfile {
  std::string mpi;  ///< name and version: "Open MPI v4.1.4"
  int ranks = 0;
  std::string where;  ///< place for which the kernels' times hold
  protocol::MpiClock clock = protocol::MpiClock::wall;
  double granted_cpus = 0;  ///< CPUs that a control group grants; 0 if none limits them
  selective::Policy policy = selective::Policy::full;
  double tolerance = 0, confidence = 0;
  Seconds elapsed = 0;
  bool path_complete = true;         ///< false if a process had more events than are kept
  bool sessions = false;             ///< the program uses sessions beside MPI_Init
  int spawned_processes = 0;         ///< processes that aren't traced
  path::MessageModel message_model;  ///< cost of a message between two processes
  path::Costs critical_path;         ///< along the critical path
  Seconds own_code = 0;              ///< the program's own code there: computation outside of kernels and regions
  std::optional<MpiEfficiencies> efficiencies;
  std::vector<MpiRegion> regions;  ///< regions by falling time
  path::Costs longest;             ///< the longest path by each metric
  path::Costs per_process;         ///< the most of any process, by metric
  path::Costs volumetric;          ///< mean of all processes
  std::vector<MpiProcess> processes;
  std::optional<MpiTimeline> timeline;  ///< nothing without wall time, or if kernels are skipped
  std::vector<MpiWaiting> waits;        ///< the longest ones by falling time, at most `max_waits`
  Seconds prediction_error = 0;         ///< half-width that predictions across sizes add to the path's time
  double program_variance = 0;          ///< variance of the time of the program's own code along the path, in square seconds
  std::optional<selective::RunTimeRatio> pace;
  std::optional<selective::TimeSpent> spent;  ///< means of the processes
  std::optional<MpiTraffic> own_messages;
  std::vector<MpiOtherTool> other_tools;
  double bypassing_messages = 0;  ///< messages that were seen at one end only, or that came without their sender's path
  bool prefixed_calls = false;    ///< the program calls MPI by names with PMPI_, or by addresses from dlsym
  int simultaneous_calls = 0;     ///< calls of MPI that weren't traced, because another thread of the process was in one
  std::vector<MpiCallSequence> calls;
  std::optional<MpiKernelSums> kernel_sums;  ///< sums over all kernels, if only some of them are listed
  std::vector<MpiKernel> kernels;
  friend bool operator==(const MpiProfile&, const MpiProfile&) = default;

  static constexpr std::size_t max_waits = 32;
  /// Returns the number of cores that the processes got on average while they were ready to run; nothing in documents of before.
  [[nodiscard]] std::optional<double> cores_got() const noexcept;
  /// Returns whether processes lacked a core for a considerable part of the time.
  [[nodiscard]] bool lacked_cores() const noexcept;
  /// Returns the time that a process really computed, without time in which it had no core or wanted none.
  [[nodiscard]] Seconds computing(const MpiProcess& process) const noexcept;
  /// Returns the most that computing() is for a process, divided by the mean of all; 1 if nothing is computed.
  [[nodiscard]] double imbalance() const noexcept;
  static constexpr double considerable_imbalance = 1.05;  ///< where less isn't worth a remark
  /// Returns whether a process was blocked for a considerable part of the elapsed time.
  [[nodiscard]] bool is_blocked(const MpiProcess& process) const noexcept;
  /// Returns the process that was blocked longest, of those for which is_blocked() holds; nullptr if there are none.
  [[nodiscard]] const MpiProcess* most_blocked() const noexcept;
  /// Returns the sums over all kernels.
  [[nodiscard]] MpiKernelSums sums() const noexcept;
  /// Returns the time of computational kernels and regions on the critical path, without calls of MPI.
  [[nodiscard]] Seconds kernel_seconds() const noexcept;
  /// Returns the share of the critical path that lies in kernels and calls of MPI, 0 to 1. Noise of measurements may make it a little more.
  /// The rest is computation that flopcast doesn't see into.
  [[nodiscard]] double coverage() const noexcept;
  /// Returns the share of kernels that were executed, 0 to 1; 1 if there are none.
  [[nodiscard]] double executed_share() const noexcept;
  /// Returns the variance, from one execution to the next, of the path's time, in square seconds.
  [[nodiscard]] double path_variance() const noexcept;
};

/// Returns the document `flopcast-mpi-profile-1`, one kernel a line. Its last line is ended, as in the file that a program leaves.
[[nodiscard]] std::string to_json(const MpiProfile& profile);
/// Inverse of to_json(). `source` names the text in messages. Throws bad_input for members that are missing or wrong.
[[nodiscard]] MpiProfile mpi_profile_from_json(std::string_view text, const std::string& source = "the profile");
/// Reads a profile from a file that `flopcast mpi run --output` wrote. Throws bad_input as mpi_profile_from_json() does.
[[nodiscard]] MpiProfile read_mpi_profile(const std::string& file);

/// Reads the kernels of a profile, which may lack everything else. Throws bad_input.
[[nodiscard]] MpiKernelList read_mpi_kernels(const std::string& file);

}  // namespace flopcast
