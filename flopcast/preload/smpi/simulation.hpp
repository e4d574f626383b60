#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <smpi/mpi.h>

#include "flopcast/core/call.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/timeline_bins.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/preload/smpi/matching.hpp"
#include "flopcast/preload/smpi/modelled_times.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/support/units.hpp"

/// SMPI runs all processes of a program in one process, one at a time, on a simulated clock. Therefore this library is loaded once and sees
/// all of them. Paths need no messages, and a process's path is as long as the simulated time.
namespace flopcast::preload::smpi {

/// A communicator as seen by one of its processes.
struct Group {
  std::uint64_t id = 0;  ///< one number in all its processes, and different for other sets of processes
  int rank = 0;          ///< rank of this process in it
  int stride = 1;        ///< distance between the world ranks of its processes; 0 if it varies
  std::vector<int> world_ranks;
  [[nodiscard]] int size() const noexcept { return static_cast<int>(world_ranks.size()); }
};

/// The communication of a request.
struct OpenRequest {
  std::shared_ptr<Message> message;
  Route route;                         ///< with wildcards, tag and source are found out when the receive ends
  std::shared_ptr<const Group> group;  ///< communicator of a receive with wildcards, or of a collective
  Collectives::Key collective;
  std::int64_t bytes = 0;
  bool sends = false, is_collective = false, wildcard = false;
};

/// A message that a process sends or receives.
struct MessageEnvelope {
  bool sends = false;
  int partner = 0, tag = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::int64_t bytes = 0;
};

/// Calls of kernels in order, each with its kernel's number.
struct CallList {
  std::vector<Call> calls;
  std::vector<std::uint32_t> kernels;
  void add(const Call& call, std::uint32_t kernel) {
    calls.push_back(call);
    kernels.push_back(kernel);
  }
};

/// One of the simulated processes.
class SmpiProcess {
 public:
  explicit SmpiProcess(int rank) : rank_(rank), path_(rank) {}

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] path::CriticalPath& path() noexcept { return path_; }
  [[nodiscard]] const path::CriticalPath& path() const noexcept { return path_; }
  /// Returns the group of `comm`; nullptr for MPI_COMM_NULL and for intercommunicators.
  std::shared_ptr<const Group> group(MPI_Comm comm);
  void forget(MPI_Comm comm) { groups_.erase(comm); }
  /// Returns the number of the next collective on that group.
  std::int64_t next_collective(const Group& group) { return collectives_[group.id]++; }

  std::unordered_map<MPI_Request, OpenRequest> requests;        ///< begun and not complete
  std::unordered_map<MPI_Request, MessageEnvelope> persistent;  ///< begun or not
  CallList trace;
  Seconds resumed = 0;  ///< when the program last went on
  Seconds waited = 0;   ///< time waited for others
  mpi::TimelineBins timeline;
  mpi::Waits waits;                                             ///< waits by process and routine
  bool inside = false;                                          ///< inside an intercepted function
  bool inside_mpi = false;                                      ///< the function is one of MPI, which may call the program's code
  bool in_kernel = false;                                       ///< in a kernel that such code has called
  std::uint32_t executing = 0;                                  ///< the kernel in execution, if it is executed
  std::vector<std::pair<std::uint32_t, Seconds>> in_callbacks;  ///< kernels of such code that aren't on the path yet
  bool ended = false;
  bool has_called = false;    ///< has called a kernel
  std::int64_t messages = 0;  ///< number of messages sent
  double message_bytes = 0;

 private:
  int rank_;
  path::CriticalPath path_;
  std::unordered_map<MPI_Comm, std::shared_ptr<const Group>> groups_;
  std::unordered_map<std::uint64_t, std::int64_t> collectives_;
};

/// All simulated processes and their common data.
class Simulation {
 public:
  explicit Simulation(const protocol::SmpiOptions& options);

  /// Returns the process that is running now; nullptr before its MPI_Init and after its MPI_Finalize.
  SmpiProcess* current() noexcept;
  void begin_process();
  /// Ends a process. The last one writes the result.
  void end_process();

  [[nodiscard]] const protocol::SmpiOptions& options() const noexcept { return options_; }
  selective::KernelTable& kernels() noexcept { return kernels_; }
  Matching& matching() noexcept { return matching_; }
  Collectives& collectives() noexcept { return collectives_; }

  /// Returns the number of `call`'s kernel.
  std::uint32_t computation_kernel(const Call& call, std::size_t routine);
  /// Returns the kernel's time.
  [[nodiscard]] Seconds seconds_of(std::uint32_t kernel) const noexcept { return seconds_[kernel]; }
  /// Lets simulated time pass for first uses of memory and BLAS, which `call` would cause if it were executed.
  void use_first(SmpiProcess& process, const Call& call);
  /// Lets the kernel's simulated time pass.
  void compute(SmpiProcess& process, std::uint32_t kernel);
  /// Puts the kernels on the path that the program's code has called inside of MPI. Returns their time.
  Seconds note_callbacks(SmpiProcess& process);
  /// Ends a communication that began at `entered` and needed `others`.
  void communicated(SmpiProcess& process, std::uint32_t kernel, Seconds entered, std::span<const ProcessArrival> others, double bytes);
  std::uint32_t communication_kernel(mpi::Routine routine, std::int64_t bytes, const Group& group);

 private:
  void keep_in_trace(SmpiProcess& process, const Call& call, std::uint32_t kernel, bool first);
  void write_result();

  protocol::SmpiOptions options_;
  ModelledTimes times_;
  selective::KernelTable kernels_;
  std::vector<Seconds> seconds_;                         ///< index: kernel
  std::vector<bool> known_;                              ///< index: kernel; true if the models gave its time
  CallList first_calls_;                                 ///< calls of kernels that processes with kept traces don't meet first
  std::vector<std::unique_ptr<SmpiProcess>> processes_;  ///< index: the simulator's number
  int size_ = 0, begun_ = 0, ended_ = 0;
  std::int64_t traced_ = 0;
  std::optional<Seconds> first_call_;  ///< extra time of every process's first kernel
  Matching matching_;
  Collectives collectives_;
};

/// Returns the simulation, nullptr if the library is inactive.
Simulation* simulation() noexcept;

/// Returns the seconds of the simulated clock.
Seconds now() noexcept;

/// Begins a kernel of the program: the simulated time of the code before passes, and from here on nothing is measured. Returns nullptr for
/// calls that libraries make themselves, and outside of MPI_Init and MPI_Finalize. Inside of MPI, a kernel belongs to the program's code
/// that MPI calls, such as the operation of a reduction.
SmpiProcess* enter_kernel() noexcept;
void leave_kernel(SmpiProcess& process) noexcept;

/// The time inside an intercepted MPI function that the program has entered. It is false for calls that the simulator makes itself, and
/// outside of MPI_Init and MPI_Finalize.
class SimulatedCall {
 public:
  SimulatedCall() noexcept;
  SimulatedCall(const SimulatedCall&) = delete;
  SimulatedCall& operator=(const SimulatedCall&) = delete;
  ~SimulatedCall();
  explicit operator bool() const noexcept { return process_ != nullptr; }
  [[nodiscard]] SmpiProcess& process() const noexcept { return *process_; }
  [[nodiscard]] Seconds entered() const noexcept { return entered_; }

 private:
  SmpiProcess* process_ = nullptr;
  Seconds entered_ = 0;
};

// Measures the cost of first uses of memory and libraries. Models of kernels leave it out, because they are measured warm, and a kernel
// that isn't executed doesn't cause it.

/// Touches the memory that `call` would have written in pages that don't exist yet. Returns the seconds taken.
Seconds touch_written_memory(const Call& call);

/// Returns the extra time of the first product, in which BLAS sets up its buffers. It is measured once; 0 if the program has no dgemm.
Seconds first_call_seconds();

/// Facts about a simulation at its end, apart from the kernels.
struct ResultFacts {
  std::vector<SmpiProcess*> processes;    ///< index: rank
  const CallList* first_calls = nullptr;  ///< calls of kernels that may be in no process's trace
  std::vector<bool> known;                ///< index: kernel
  bool traces = false;
};

/// Writes the result as a whole or not at all, with the kernels along the critical path. Errors are reported on standard error.
void write_result_file(const std::string& file, const ResultFacts& facts, selective::KernelTable& kernels) noexcept;

/// Makes a copy of the program, and libraries loaded with it, call this library's functions where they would call another library's of the
/// same name. `opened` is the copy's handle, opened with RTLD_DEEPBIND. All else stays bound as without flopcast, and this library forwards
/// to the functions that the copy would have called.
/// Opening the copy without RTLD_DEEPBIND would not work, because the simulator's own dependencies (a CBLAS, through GSL) would come before
/// the program's.
void intercept_copy(void* opened) noexcept;

}  // namespace flopcast::preload::smpi
