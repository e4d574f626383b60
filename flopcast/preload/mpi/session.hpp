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
#include "flopcast/preload/kernels/overhead_estimate.hpp"
#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/preload/kernels/routines.hpp"
#include "flopcast/preload/mpi/profile_output.hpp"
#include "flopcast/preload/mpi/progress_report.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/selective/eager_propagation.hpp"
#include "flopcast/selective/execution_decisions.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/selective/path_counts.hpp"
#include "flopcast/selective/time_spent.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::interpose::mpi {

/// State of the library in its process, between MPI_Init and MPI_Finalize.
class Session {
 public:
  explicit Session(const MpiOptions& options)
      : options_(options),
        decisions_(options.policy, options.precision, options.across_sizes,
                   options.windows ? std::optional<path::ExecutionWindows>(path::ExecutionWindows()) : std::nullopt) {}

  /// Returns whether a program that requests MPI_THREAD_MULTIPLE may get it.
  [[nodiscard]] bool grants_thread_multiple() const noexcept { return options_.thread_multiple; }
  /// Runs after MPI_Init: makes flopcast's communicator, chooses the clock and measures messages. Collective.
  void begin();
  /// Runs before MPI_Finalize: combines the facts of all processes, which rank 0 writes. Collective.
  void end();

  /// Returns whether this thread's actions are followed: after begin(), before end(), in the thread that called MPI_Init.
  [[nodiscard]] bool follows_this_thread() const noexcept;
  /// Returns whether this thread's MPI calls are followed. They are in other threads, too, if the program may call MPI there.
  [[nodiscard]] bool follows_calls() const noexcept;
  /// Returns follows_calls() while the thread isn't inside an intercepted MPI function, and false otherwise.
  [[nodiscard]] bool follows_program() const noexcept;

  /// Notes that the program has called MPI. For threads that didn't call MPI_Init only communication counts.
  void enter_call() noexcept;
  void leave_call() noexcept;
  /// Locks the session's state, which MPI calls of other threads use, too. Waits for them.
  [[nodiscard]] std::unique_lock<std::mutex> turn() {
    return other_threads_call_ ? std::unique_lock(turns_) : std::unique_lock<std::mutex>();
  }
  /// Locks the state without waiting; returns nothing if another thread has it.
  [[nodiscard]] std::optional<std::unique_lock<std::mutex>> try_lock_turn() {
    std::unique_lock<std::mutex> lock = other_threads_call_ ? std::unique_lock(turns_, std::try_to_lock) : std::unique_lock<std::mutex>();
    return other_threads_call_ && !lock ? std::nullopt : std::optional(std::move(lock));
  }

  /// Notes that the program has just called the library. The time since return_to_program() counts as computation.
  void leave_program() noexcept;
  void return_to_program() noexcept { resumed_ = now(); }
  /// Returns the time of the program's call, by the same clock.
  [[nodiscard]] Seconds called() const noexcept { return called_; }

  /// Returns the time at which MPI is called to send, after the library's own work for the message. With the wall clock the time is mostly
  /// estimated without reading the clock.
  [[nodiscard]] Seconds begins_to_send() noexcept {
    return cpu_clock_ || other_threads_call_ ? now() : announcing_.end(called_, [this] { return now(); });
  }
  /// Notes that MPI finished a message at `time`. The work until the program goes on, `rest`, always takes the same time.
  void note_message_done(OverheadEstimate& rest, Seconds time) noexcept {
    done_ = time;
    rest_ = &rest;
  }
  /// Notes that the remaining work isn't the usual one.
  void note_unusual() noexcept { rest_ = nullptr; }
  [[nodiscard]] OverheadEstimate& after_sends() noexcept { return after_sends_; }
  [[nodiscard]] OverheadEstimate& after_receives() noexcept { return after_receives_; }

  /// Notes that the program's computation, entered at called(), was executed from `started` for `seconds`, because of `cause`.
  void note_executed(path::Cause cause, Seconds started, Seconds seconds) noexcept {
    spent_.preparing += started - called_;
    spent_.add_computation(cause, seconds);
  }
  /// Notes that the computation was left out, and the program has gone on.
  void note_time_of_leaving_out() noexcept { spent_.leaving_out += resumed_ - called_; }
  /// Returns why the kernel of the latest decision is executed.
  [[nodiscard]] path::Cause cause() const noexcept { return decisions_.cause(); }

  /// Returns the seconds of the clock that measures computation.
  [[nodiscard]] Seconds now() const noexcept;
  [[nodiscard]] static Seconds wall() noexcept;
  [[nodiscard]] bool uses_cpu_clock() const noexcept { return cpu_clock_; }

  [[nodiscard]] path::CriticalPath& path() noexcept { return path_; }
  [[nodiscard]] path::KernelTable& kernels() noexcept { return kernels_; }
  [[nodiscard]] const path::MessageModel& messages() const noexcept { return messages_; }
  [[nodiscard]] const MpiOptions& options() const noexcept { return options_; }

  /// Continues on a path that leads here, if the path is longer than this process's and isn't from before a reset.
  void follow(const Arrival& arrival) {
    note_skipped_elsewhere(arrival.left_out != 0, arrival.epoch);
    follow(arrival.mark, arrival.epoch, arrival.counts);
  }
  void follow(const Agreement& agreement) {
    note_skipped_elsewhere(agreement.skipped != 0, agreement.epoch);
    follow(agreement.mark, agreement.epoch, {});
  }
  /// Continues on the path of a blocking collective's agreement, in which all processes of `channel` take part. The statistics that the
  /// policy propagates travel with it.
  void follow(const Agreement& agreement, Channel& channel);
  /// Returns the envelope of one of flopcast's messages.
  [[nodiscard]] Envelope envelope(std::int64_t bytes, int tag, bool skipped) const noexcept {
    const int left_out = (skipped ? Envelope::itself : 0) | (has_skipped_ ? Envelope::before : 0);
    return {.bytes = bytes, .tag = tag, .left_out = static_cast<std::int8_t>(left_out), .epoch = static_cast<std::int16_t>(epoch_)};
  }
  /// Returns this process's part in an agreement; `channel` is given for a blocking collective on it.
  [[nodiscard]] Agreement agreement(bool execute, const Channel* channel = nullptr) const;
  /// Returns the counts to send with a shadow; none unless policy is online.
  [[nodiscard]] path::KernelCounts counts() const;
  /// Notes a call of `routine` for the comparison of two runs. The three values describe the message, and must not depend on time.
  void note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept;

  /// Begins a region of the program's own code. Returns false if the region is to be left out; the region has then ended, too. A region
  /// inside another one belongs to the outer one.
  bool enter_region(const std::string& name, std::span<const std::int64_t> sizes, bool may_be_left_out);
  void leave_region();
  /// Returns whether the thread is in a region, where BLAS isn't counted separately.
  [[nodiscard]] bool is_in_region() const noexcept { return region_.depth > 0; }
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

  /// Returns whether this launch is to make executions of several configurations.
  [[nodiscard]] bool has_executions() const noexcept { return !executions_.empty(); }
  /// Ends the current execution, if one has begun, and returns whether there is another one. Collective.
  bool next_configuration();
  /// Returns the current configuration's value of a parameter, nullptr if it has none.
  const std::string* parameter(const std::string& name) { return executions_.empty() ? nullptr : executions_.value(name); }

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
    }
  }

  /// Notes that this process waited for an unknown cause, which is on its path.
  void waited_on_path(Seconds seconds) noexcept {
    if (measures_) {
      path_.add({.time = seconds, .idle = seconds});
    }
  }

  /// Notes that the program has polled MPI without success. The whole call counts as waiting, until a poll succeeds.
  void note_vain_question() noexcept { asks_in_vain_ = true; }
  /// Returns the seconds of unsuccessful polls so far.
  [[nodiscard]] Seconds asked() const noexcept { return asked_; }
  /// Ends polling: the awaited message has come. It was under way since asked() was `since`; if that is unknown (negative), for at most
  /// `usual` seconds. Returns the seconds of polling that count as communication. The polling before was waiting for the sender, which is
  /// on no path.
  Seconds settle_questions(Seconds since, Seconds usual) noexcept;

  /// Runs `wait`, which waits for other processes and whose time is on no path of this process.
  template <class Wait>
  auto idle(Wait wait) {
    const Seconds start = cpu_clock_ ? 0 : wall();
    auto result = wait();
    waited(cpu_clock_ ? 0 : wall() - start);
    return result;
  }

  /// Tells the sender of a message of `bytes` (an upper limit, if the message hasn't come yet) that its receiver is there. A sender that
  /// had to wait for the receiver continues on the receiver's path.
  /// Does nothing where kernels are left out. There, while its sender waits for a moment, a receiver may have left out kernels that the
  /// program executes long after the message. A path that continued from there would count the work of both twice.
  void acknowledge(const Channel& channel, int source, std::int64_t bytes);
  static constexpr std::int64_t min_acknowledged = 4096;  ///< every MPI sends smaller messages without waiting for their receiver
  /// Explains why a send took `surplus` longer than messages do, by continuing on the path of a receiver for which it may have waited.
  /// Returns the seconds without explanation; 0 where kernels are left out, because waiting times then mean nothing. `expects_word` says
  /// that a receiver has probably acknowledged the message.
  Seconds explain_wait(Seconds surplus, bool expects_word = true);

  /// Returns whether this process still needs executions of kernel `kernel`.
  [[nodiscard]] bool wants_execution(std::uint32_t kernel);
  [[nodiscard]] Seconds estimate(std::uint32_t kernel) { return decisions_.estimate(kernel, kernels_[kernel]); }
  /// Returns the model's time where the kernel was never executed.
  [[nodiscard]] Seconds estimate(std::uint32_t kernel, path::Pattern pattern, std::int64_t bytes, int processes);
  /// Returns whether a kernel has been skipped here, so that data are no longer the program's.
  [[nodiscard]] bool has_skipped() const noexcept { return has_skipped_; }
  void note_skipped() noexcept { set_skipped(true); }
  /// Notes that data from another process, of execution `epoch`, may make this process's data differ from the program's.
  void note_skipped_elsewhere(bool skipped, std::int32_t epoch) noexcept { set_skipped(has_skipped_ || (skipped && epoch == epoch_)); }
  /// Notes that this process has left a kernel out by its own decision.
  void note_left_out() noexcept { decisions_.left_out(); }

 private:
  [[nodiscard]] bool in_full() const noexcept { return options_.policy == path::Policy::full; }
  void set_skipped(bool skipped) noexcept {
    if (skipped != has_skipped_) {
      has_skipped_ = skipped;
      report_.leaves_out(skipped);
    }
  }
  void follow(const path::PathMark& mark, std::int32_t epoch, std::span<const path::KernelCount> counts);
  /// Adds a kernel's time to its statistics, if it was executed. Returns the time that counts on the path.
  path::PathContribution note_time(std::uint32_t kernel, Seconds seconds, bool executed);
  /// Puts the kernel on the path from here on.
  void note_on_path(std::uint32_t kernel, const path::PathContribution& counted);
  /// Returns the time that counts for the program's own code between two kernels, which took `seconds`.
  Seconds gap(Seconds seconds);
  void take_counts(const Agreement& agreement, Channel& channel);
  void take_times(const Agreement& agreement, Channel& channel);
  /// Adds the system time and page faults of this thread since the last call, if `counts`.
  void note_system_time(bool counts) noexcept;
  void require_same_options() const;
  void look_at_node();
  void measure_messages();
  void read_statistics();
  void read_executions();
  /// Forgets this process's counts, but keeps its statistics of times. Collective.
  void count_anew();
  template <class What, class Take>
  void tell_all(What what, Take take);
  void tell_counts_along();
  void tell_times();
  void begin_execution(std::size_t number, Seconds before);
  /// Returns the facts that the processes have found since they began to count, complete at rank 0. Collective.
  ProfileFacts conclude();
  /// Compares the calls of selective executions with those of full executions.
  void compare_calls(const std::vector<CallSequence>& calls);
  /// Writes the current execution's result and returns the length of its path. Collective.
  Seconds finish_execution();
  path::Costs visit_critical_path(const path::PathMark& end);
  path::Costs walk_back(path::LogCursor& token, const path::LogCursor& finished, PageVector<Seconds>& estimates);
  /// Returns the variance of the program's own code in this process's parts of the critical path, where that code counts with its usual
  /// time.
  [[nodiscard]] double program_variance() const;
  void note_contexts();
  void collect_kernels();
  void collect_region_names();
  [[nodiscard]] std::vector<CallSequence> gather_calls() const;
  [[nodiscard]] std::vector<ProcessFacts> gather_processes() const;

  /// The latest communication of a routine, because programs often repeat the same one.
  struct AskedKernel {
    std::uint32_t routine = std::numeric_limits<std::uint32_t>::max();
    int processes = 0, stride = 0;
    std::int64_t bytes = 0;
    std::uint32_t number = 0;
  };

  /// The program's progress through its executions.
  enum class Progress : unsigned char { not_asked, running, finished };

  /// The outermost open region.
  struct Region {
    int depth = 0;
    std::uint32_t kernel = 0;
    Seconds seconds = 0;  ///< computation in it so far
    bool communicates = false;
    path::Cause cause = path::Cause::always;  ///< cause of its execution
  };

  MpiOptions options_;
  path::ExecutionDecisions decisions_;
  path::EagerPropagation eager_;
  path::PathCounts counts_;
  CallSequence calls_;
  RegionNames regions_;
  Region region_;
  std::unordered_set<std::uint32_t> communicating_regions_;  ///< regions that are never left out
  MpiExecutions executions_;
  Progress progress_ = Progress::not_asked;
  using CallsByParameters = std::map<std::map<std::string, std::string>, std::vector<CallSequence>>;
  CallsByParameters full_calls_, selective_calls_;  ///< at rank 0, of full and other executions
  bool calls_differ_ = false;                       ///< at rank 0: a selective execution made other calls than the full one
  std::int32_t epoch_ = 0;                          ///< number of resets
  bool measures_ = true;
  bool tracking_ = false;
  bool has_skipped_ = false;
  bool uses_sessions_ = false;
  int spawned_ = 0;
  ProgressReport report_;
  bool cpu_clock_ = false;
  double granted_cpus_ = 0;          ///< granted by a control group that has more processes; 0: no limit
  bool other_threads_call_ = false;  ///< one at a time (MPI_THREAD_SERIALIZED)
  std::mutex turns_;
  int rank_ = 0, size_ = 1;
  MPI_Comm world_ = MPI_COMM_NULL;  ///< flopcast's own communicator of all processes
  Seconds begun_ = 0;               ///< wall time of the latest start of measuring
  Seconds elapsed_ = 0;             ///< wall time measured before that
  Seconds resumed_ = 0;             ///< when the program last went on
  Seconds called_ = 0;              ///< when the program last called the library
  OverheadEstimate announcing_, after_sends_, after_receives_;
  OverheadEstimate* rest_ = nullptr;  ///< remaining work of the current call after `done_`; nullptr if it varies
  Seconds done_ = 0;
  path::CriticalPath path_;
  bool asks_in_vain_ = false;
  Seconds asked_ = 0;            ///< total time of unsuccessful polls
  Seconds settled_ = 0;          ///< the part of asked_ that has been accounted for
  Seconds kernels_on_path_ = 0;  ///< kernels of this process on the critical path, once known
  path::TimeSpent spent_;
  Seconds system_seconds_ = 0;  ///< system time of this thread when it was last read
  double page_faults_ = 0;
  path::KernelTable kernels_;
  path::MessageModel messages_;
  std::uint32_t last_kernel_ = 0;              ///< the latest kernel that this process executed or left out
  PageVector<path::KernelStatistics> gaps_;    ///< statistics of the code after each kernel, where no kernel is left out
  std::array<AskedKernel, 16> asked_kernels_;  ///< latest communication kernels, by routine
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
void write_stage(const MpiOptions& options, std::string_view stage) noexcept;

}  // namespace flopcast::interpose::mpi
