#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>

#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/acknowledgements.hpp"
#include "flopcast/preload/mpi/call_gate.hpp"
#include "flopcast/preload/mpi/core_time.hpp"
#include "flopcast/preload/mpi/kernel_decisions.hpp"
#include "flopcast/preload/mpi/launch_executions.hpp"
#include "flopcast/preload/mpi/path_ledger.hpp"
#include "flopcast/preload/mpi/piggyback.hpp"
#include "flopcast/preload/mpi/profile_output.hpp"
#include "flopcast/preload/mpi/propagation.hpp"
#include "flopcast/preload/mpi/session_clock.hpp"
#include "flopcast/preload/mpi/skipping.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// The library's state in its process, between MPI_Init and MPI_Finalize. Its parts trace the program, and interceptions use them
/// directly. The class itself does what concerns all parts: it begins and ends, goes through a launch's executions, and switches
/// measurement on and off. The function session() returns the process's only one.
class TracingSession {
 public:
  explicit TracingSession(const protocol::MpiOptions& wanted) : options(wanted) {}
  TracingSession(const TracingSession&) = delete;
  TracingSession& operator=(const TracingSession&) = delete;
  ~TracingSession() = default;

  /// Runs after MPI_Init: makes flopcast's communicator, chooses the clock and measures messages. Collective.
  void begin();
  /// Runs before MPI_Finalize: combines the facts of all processes, which rank 0 writes. Collective.
  void end();
  /// Puts this process's actions on its path from now on, or takes them off.
  void measure(bool on);
  /// Begins paths and counts anew, and keeps the statistics of kernels' times. Collective.
  void reset();
  /// Ends the current execution, if one has begun, and returns whether there is another one. Collective.
  bool next_configuration();

  /// Notes a call of `routine` for the comparison of two runs. The three values describe the message, and must not depend on time.
  void note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept {
    calls.add(static_cast<std::uint32_t>(routine), first, second, third);
    ledger.note_awaited(routine);
  }
  /// Notes that the program uses MPI-4's sessions, in which nothing is traced.
  void note_sessions() noexcept;

  protocol::MpiOptions options;
  CallGate gate;
  SessionClock clock;
  CoreTime core_time;
  Skipping skipping;
  CallSequence calls;
  RegionNames regions;
  LaunchExecutions executions;
  KernelDecisions kernels{options, skipping};
  PathLedger ledger{kernels, clock};
  Propagation propagation{options, kernels, ledger, skipping};
  Acknowledgements acknowledgements{options, ledger, propagation};
  int spawned = 0;  ///< processes that the program has started, which aren't traced

 private:
  void read_statistics();
  [[nodiscard]] std::size_t events_of_process() const noexcept;
  /// Forgets this process's counts, but keeps its statistics of times. Collective.
  void count_anew();
  void begin_execution(std::size_t number, Seconds before);
  /// Returns what the processes have found since they began to count, complete at rank 0, without the kernels. Collective.
  MpiProfile conclude();
  /// Writes the current execution's result and returns the length of its path. Collective.
  Seconds finish_execution();
  /// Returns the longest wait of this process. For a collective, the awaited process is the one that waits least in it. Collective.
  [[nodiscard]] Wait longest_wait();

  bool uses_sessions_ = false;
  double granted_cpus_ = 0;  ///< granted by a control group that has more processes; 0: no limit
  int rank_ = 0, size_ = 1;
  MPI_Comm world_ = MPI_COMM_NULL;  ///< flopcast's own communicator of all processes
};

/// The process's session, nullptr if the library is inactive. It is the one object that all intercepted functions share.
extern TracingSession* current_session;
inline TracingSession* session() noexcept { return current_session; }
/// Opens the session when the library is loaded.
void open_session() noexcept;

/// The time inside an intercepted MPI function that the program has entered. It is false for calls that MPI makes itself, from other
/// threads, and outside of a session. For threads that didn't call MPI_Init only communication counts.
class InterceptGuard {
 public:
  /// `site` is the return address of the intercepted function.
  explicit InterceptGuard(const void* site = __builtin_return_address(0)) noexcept;
  InterceptGuard(const InterceptGuard&) = delete;
  InterceptGuard& operator=(const InterceptGuard&) = delete;
  ~InterceptGuard();
  explicit operator bool() const noexcept { return traced_; }
  /// Returns the channel of the communicator if the call is traced, `comm` has one, and `peer` isn't MPI_PROC_NULL. Otherwise returns
  /// nullptr.
  [[nodiscard]] Channel* channel(MPI_Comm comm, int peer = 0) const noexcept {
    return traced_ && peer != MPI_PROC_NULL ? channel_of(comm) : nullptr;
  }

 private:
  bool traced_ = false;
};

/// Writes the stage of the process of rank 0 to the file of the profile.
void write_stage(const protocol::MpiOptions& options, std::string_view stage) noexcept;

}  // namespace flopcast::preload::mpi
