#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "flopcast/path/critical_path.hpp"
#include "flopcast/path/message_model.hpp"
#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/preload/kernels/routines.hpp"
#include "flopcast/preload/mpi/call_gate.hpp"
#include "flopcast/preload/mpi/core_time.hpp"
#include "flopcast/preload/mpi/launch_executions.hpp"
#include "flopcast/preload/mpi/open_region.hpp"
#include "flopcast/preload/mpi/polling.hpp"
#include "flopcast/preload/mpi/profile_output.hpp"
#include "flopcast/preload/mpi/program_gaps.hpp"
#include "flopcast/preload/mpi/session_clock.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/preload/mpi/skipping.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/selective/eager_propagation.hpp"
#include "flopcast/selective/execution_decisions.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/path_counts.hpp"
#include "flopcast/selective/time_spent.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// State of the library in its process, between MPI_Init and MPI_Finalize: the process's path and kernels, and the parts that measure time,
/// admit calls, remember what was left out, and go through the launch's executions.
class Session {
 public:
  explicit Session(const protocol::MpiOptions& options)
      : options_(options),
        decisions_(options.policy, options.precision, options.across_sizes,
                   options.windows ? std::optional<selective::ExecutionWindows>(selective::ExecutionWindows()) : std::nullopt) {}

  /// Returns whether a program that requests MPI_THREAD_MULTIPLE may get it.
  [[nodiscard]] bool grants_thread_multiple() const noexcept { return options_.thread_multiple; }
  /// Runs after MPI_Init: makes flopcast's communicator, chooses the clock and measures messages. Collective.
  void begin();
  /// Runs before MPI_Finalize: combines the facts of all processes, which rank 0 writes. Collective.
  void end();

  /// Notes that the program has called MPI. For threads that didn't call MPI_Init only communication counts.
  /// Returns false if the call isn't followed, because another thread is in one.
  [[nodiscard]] bool enter_call() noexcept;
  void leave_call() noexcept;
  /// Notes that the program has just called the library. The time since return_to_program() counts as computation.
  void leave_program() noexcept;
  void return_to_program() noexcept { clock_.return_to_program(); }

  /// Notes that the program's computation, entered at clock().called(), was executed from `started` for `seconds`, because of `cause`.
  void note_executed(selective::Cause cause, Seconds started, Seconds seconds) noexcept {
    spent_.preparing += started - clock_.called();
    spent_.add_computation(cause, seconds);
  }
  /// Notes that the computation was left out, and the program has gone on.
  void note_time_of_leaving_out() noexcept { spent_.leaving_out += clock_.in_call(); }
  /// Returns why the kernel of the latest decision is executed.
  [[nodiscard]] selective::Cause cause() const noexcept { return decisions_.cause(); }

  /// The parts of the session.
  [[nodiscard]] SessionClock& clock() noexcept { return clock_; }
  [[nodiscard]] CallGate& gate() noexcept { return gate_; }
  [[nodiscard]] Polling& polling() noexcept { return polling_; }
  [[nodiscard]] const Skipping& skipping() const noexcept { return skipping_; }
  [[nodiscard]] LaunchExecutions& executions() noexcept { return executions_; }
  [[nodiscard]] path::CriticalPath& path() noexcept { return path_; }
  [[nodiscard]] selective::KernelTable& kernels() noexcept { return kernels_; }
  [[nodiscard]] const path::MessageModel& messages() const noexcept { return messages_; }
  [[nodiscard]] const protocol::MpiOptions& options() const noexcept { return options_; }

  /// Continues on a path that leads here, if the path is longer than this process's and isn't from before a reset.
  void follow(const Arrival& arrival) {
    skipping_.note_elsewhere(arrival.left_out != 0, arrival.epoch);
    follow(arrival.mark, arrival.epoch, arrival.counts);
  }
  void follow(const Agreement& agreement) {
    skipping_.note_elsewhere(agreement.skipped != 0, agreement.epoch);
    follow(agreement.mark, agreement.epoch, {});
  }
  /// Continues on the path of a blocking collective's agreement, in which all processes of `channel` take part. The statistics that the
  /// policy propagates travel with it.
  void follow(const Agreement& agreement, Channel& channel);
  /// Returns the envelope of one of flopcast's messages.
  [[nodiscard]] Envelope envelope(std::int64_t bytes, int tag, bool skipped) const noexcept {
    const int left_out = (skipped ? Envelope::itself : 0) | (skipping_.has_skipped() ? Envelope::before : 0);
    return {
        .bytes = bytes, .tag = tag, .left_out = static_cast<std::int8_t>(left_out), .epoch = static_cast<std::int16_t>(skipping_.epoch())};
  }
  /// Returns this process's part in an agreement; `channel` is given for a blocking collective on it.
  [[nodiscard]] Agreement agreement(bool execute, const Channel* channel = nullptr) const;
  /// Returns the counts to send with a shadow; none unless policy is online.
  [[nodiscard]] selective::KernelCounts counts() const;
  /// Notes a call of `routine` for the comparison of two runs. The three values describe the message, and must not depend on time.
  void note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept;

  /// Notes that the call of `routine` waits for process `rank` of MPI_COMM_WORLD from here on.
  void note_awaited(Routine routine, std::int32_t rank = Wait::nobody) {
    if (clock_.is_cpu_time()) {
      waits_.add_until(SessionClock::wall());
    }
    waits_.await(static_cast<std::uint32_t>(routine), rank);
  }

  /// Begins a region of the program's own code. Returns false if the region is to be left out; the region has then ended, too. A region
  /// inside another one belongs to the outer one.
  bool enter_region(const std::string& name, std::span<const std::int64_t> sizes, bool may_be_left_out);
  void leave_region();
  /// Returns whether the thread is in a region, where BLAS isn't counted separately.
  [[nodiscard]] bool is_in_region() const noexcept { return region_.is_open(); }
  /// Puts this process's actions on its path from now on, or takes them off.
  void measure(bool on);
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  /// Starts or stops measuring, by the level of MPI_Pcontrol.
  void control(int level);
  /// Notes that the program has spawned processes, which aren't followed.
  void note_spawned(int processes) noexcept { spawned_ += processes; }
  /// Notes that the program uses MPI-4's sessions, in which nothing is followed.
  void note_sessions() noexcept;
  /// Begins paths and counts anew, and keeps the statistics of kernels' times. Collective.
  void reset();

  /// Ends the current execution, if one has begun, and returns whether there is another one. Collective.
  bool next_configuration();

  /// Returns the number of a communication's kernel.
  std::uint32_t communication_kernel(Routine routine, std::int64_t bytes, int processes, int stride);
  /// Notes that a computational kernel took `seconds` or, if `executed` is false, would have taken them.
  void computed(std::uint32_t kernel, Seconds seconds, bool executed);
  /// Notes that a communication of `bytes` moved data for `seconds`, or would have, after `idle` seconds without a known cause.
  void communicated(std::uint32_t kernel, Seconds seconds, double bytes, bool executed, Seconds idle = 0);

  /// Notes that this process waited, which is on no path.
  void waited(Seconds seconds) noexcept {
    if (measures_) {
      path_.wait(seconds);
      waits_.add(seconds);
    }
  }

  /// Notes that this process waited for an unknown cause, which is on its path.
  void waited_on_path(Seconds seconds) noexcept {
    if (measures_) {
      path_.add({.time = seconds, .idle = seconds});
      waits_.add(seconds);
    }
  }

  /// Ends polling: see Polling::settle(). Returns the seconds of polling that count as communication. The polling before was waiting for the
  /// sender, which is on no path.
  Seconds settle_polling(Seconds since, Seconds usual) noexcept;

  /// Runs `wait`, which waits for other processes and whose time is on no path of this process.
  template <class Wait>
  auto idle(Wait wait) {
    const Seconds start = clock_.is_cpu_time() ? 0 : clock_.now();
    auto result = wait();
    waited(clock_.is_cpu_time() ? 0 : clock_.now() - start);
    return result;
  }

  /// Tells the sender of a message of `bytes` (an upper limit, if the message hasn't come yet) that its receiver is there. A sender that
  /// had to wait for the receiver continues on the receiver's path.
  /// Does nothing where kernels are left out. There, while its sender waits for a moment, a receiver may have left out kernels that the
  /// program executes long after the message. A path that continued from there would count the work of both twice.
  void acknowledge(Channel& channel, int source, std::int64_t bytes);
  static constexpr std::int64_t min_acknowledged = 4096;  ///< every MPI sends smaller messages without waiting for their receiver
  /// Takes the acknowledgements that have come, after every few messages of `bytes` that are acknowledged. If they were left to MPI, each
  /// further message would be compared with all of them.
  void collect_acknowledgements(std::int64_t bytes);
  /// Explains why a send took `surplus` longer than messages do, by continuing on the path of a receiver for which it may have waited.
  /// Returns the seconds without explanation; 0 where kernels are left out, because waiting times then mean nothing. `expects_word` says
  /// that a receiver has probably acknowledged the message.
  Seconds explain_wait(Seconds surplus, bool expects_word = true);

  /// Returns whether this process still needs executions of kernel `kernel`.
  [[nodiscard]] bool wants_execution(std::uint32_t kernel);
  [[nodiscard]] Seconds estimate(std::uint32_t kernel) { return decisions_.estimate(kernel, kernels_[kernel]); }
  /// Returns the model's time where the kernel was never executed.
  [[nodiscard]] Seconds estimate(std::uint32_t kernel, path::Pattern pattern, std::int64_t bytes, int processes);
  /// Notes that this process has left a kernel out by its own decision.
  void note_left_out() noexcept { decisions_.left_out(); }

 private:
  [[nodiscard]] bool in_full() const noexcept { return options_.policy == selective::Policy::full; }
  void follow(const path::PathMark& mark, std::int32_t epoch, std::span<const selective::KernelCount> counts);
  /// Adds a kernel's time to its statistics, if it was executed. Returns the time that counts on the path.
  selective::PathContribution note_time(std::uint32_t kernel, Seconds seconds, bool executed);
  /// Puts the kernel on the path from here on.
  void note_on_path(std::uint32_t kernel, const selective::PathContribution& counted);
  void take_counts(const Agreement& agreement, Channel& channel);
  void take_times(const Agreement& agreement, Channel& channel);
  void note_system_time() noexcept { clock_.note_system_time(measures_ ? &spent_ : nullptr); }
  void read_statistics();
  /// Forgets this process's counts, but keeps its statistics of times. Collective.
  void count_anew();
  template <class What, class Take>
  void broadcast_values(What what, Take take);
  void broadcast_counts_along();
  void broadcast_times();
  void begin_execution(std::size_t number, Seconds before);
  /// Returns the facts that the processes have found since they began to count, complete at rank 0. Collective.
  ProfileFacts conclude();
  /// Writes the current execution's result and returns the length of its path. Collective.
  Seconds finish_execution();
  void note_contexts();
  /// Returns the longest wait of this process. For a collective, the awaited process is the one that waits least in it. Collective.
  [[nodiscard]] Wait longest_wait() const;

  /// The latest communication of a routine, because programs often repeat the same one.
  struct LatestKernel {
    std::uint32_t routine = std::numeric_limits<std::uint32_t>::max();
    int processes = 0, stride = 0;
    std::int64_t bytes = 0;
    std::uint32_t number = 0;
  };

  protocol::MpiOptions options_;
  selective::ExecutionDecisions decisions_;
  selective::EagerPropagation eager_;
  selective::PathCounts counts_;
  CallSequence calls_;
  RegionNames regions_;
  OpenRegion region_;
  LaunchExecutions executions_;
  Skipping skipping_;
  SessionClock clock_;
  CallGate gate_;
  Polling polling_;
  std::optional<Arrival> acknowledgement_;  ///< the one with the longest path of those that were collected
  std::uint32_t acknowledged_messages_ = 0;
  ProgramGaps gaps_;
  CoreTime core_time_;
  Waits waits_;
  bool measures_ = true;
  bool uses_sessions_ = false;
  int spawned_ = 0;
  double granted_cpus_ = 0;  ///< granted by a control group that has more processes; 0: no limit
  int rank_ = 0, size_ = 1;
  MPI_Comm world_ = MPI_COMM_NULL;  ///< flopcast's own communicator of all processes
  path::CriticalPath path_;
  selective::TimeSpent spent_;
  selective::KernelTable kernels_;
  path::MessageModel messages_;
  std::array<LatestKernel, 16> latest_kernels_;  ///< latest communication kernels, by routine
};

/// The process's session, nullptr if the library is inactive. It is the one object that all intercepted functions share.
extern Session* current_session;
inline Session* session() noexcept { return current_session; }
/// Opens the session when the library is loaded.
void open_session() noexcept;

/// The time inside an intercepted function that the program has entered. It is false for calls that MPI makes itself, from other threads,
/// and outside of a session.
class InterceptGuard {
 public:
  InterceptGuard() noexcept;
  InterceptGuard(const InterceptGuard&) = delete;
  InterceptGuard& operator=(const InterceptGuard&) = delete;
  ~InterceptGuard();
  explicit operator bool() const noexcept { return followed_; }

 private:
  bool followed_ = false;
};

/// Writes the stage of the process of rank 0 to the file of the profile.
void write_stage(const protocol::MpiOptions& options, std::string_view stage) noexcept;

}  // namespace flopcast::preload::mpi
