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

#include "flopcast/support/units.hpp"
#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/preload/kernels/call_sequence.hpp"
#include "flopcast/preload/kernels/own_work.hpp"
#include "flopcast/preload/mpi/profile_output.hpp"
#include "flopcast/preload/mpi/progress_report.hpp"
#include "flopcast/preload/kernels/region_names.hpp"
#include "flopcast/preload/kernels/routines.hpp"
#include "flopcast/preload/mpi/shadow.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/selective/eager_propagation.hpp"
#include "flopcast/selective/execution_decisions.hpp"
#include "flopcast/selective/kernel_table.hpp"
#include "flopcast/path/message_model.hpp"
#include "flopcast/selective/path_counts.hpp"
#include "flopcast/selective/time_spent.hpp"

namespace flopcast::interpose::mpi {

/// What the library knows of its process between MPI_Init and MPI_Finalize.
class Session {
 public:
  explicit Session(const MpiOptions& options)
      : options_(options),
        decisions_(options.policy, options.precision, options.across_sizes,
                   options.windows ? std::optional<path::ExecutionWindows>(path::ExecutionWindows()) : std::nullopt) {}

  /// Whether a program that asks for MPI_THREAD_MULTIPLE may get it.
  [[nodiscard]] bool grants_thread_multiple() const noexcept { return options_.thread_multiple; }
  /// After MPI_Init: a communicator of our own, which clock, what messages cost. Collective.
  void begin();
  /// Before MPI_Finalize: what all processes know, put together and written by rank 0. Collective.
  void end();

  /// Whether what this thread does is followed: after begin(), before end(), in the thread that called MPI_Init.
  [[nodiscard]] bool follows_this_thread() const noexcept;
  /// Whether its calls of MPI are: those of other threads too, if the program may make any.
  [[nodiscard]] bool follows_calls() const noexcept;
  /// The same, and the thread isn't inside of an intercepted MPI function.
  [[nodiscard]] bool follows_program() const noexcept;

  /// The program has called MPI. Of a thread that didn't call MPI_Init only communication counts.
  void enter_call() noexcept;
  void leave_call() noexcept;
  /// A turn at what is known here, which calls of MPI in other threads have too; waits for those.
  [[nodiscard]] std::unique_lock<std::mutex> turn() {
    return other_threads_call_ ? std::unique_lock(turns_) : std::unique_lock<std::mutex>();
  }
  /// The same, or nothing if another thread has it.
  [[nodiscard]] std::optional<std::unique_lock<std::mutex>> turn_at_once() {
    std::unique_lock<std::mutex> lock = other_threads_call_ ? std::unique_lock(turns_, std::try_to_lock) : std::unique_lock<std::mutex>();
    return other_threads_call_ && !lock ? std::nullopt : std::optional(std::move(lock));
  }

  /// The program has just called us: what it did since it went on counts as computation.
  void leave_program() noexcept;
  void return_to_program() noexcept { resumed_ = now(); }
  /// When it called us, by the same clock.
  [[nodiscard]] Seconds called() const noexcept { return called_; }

  /// When MPI is asked to send, after what the library does for that; by the wall clock mostly without looking.
  [[nodiscard]] Seconds begins_to_send() noexcept {
    return cpu_clock_ || other_threads_call_ ? now() : announcing_.end(called_, [this] { return now(); });
  }
  /// MPI was done with a message at `time`; what is left to do until the program goes on is always the same.
  void note_message_done(OwnWork& rest, Seconds time) noexcept {
    done_ = time;
    rest_ = &rest;
  }
  /// What is left to do isn't what it always is.
  void note_unusual() noexcept { rest_ = nullptr; }
  [[nodiscard]] OwnWork& after_sends() noexcept { return after_sends_; }
  [[nodiscard]] OwnWork& after_receives() noexcept { return after_receives_; }

  /// The program's call of a computation, entered at called(), was executed from `started` for `seconds`, for this cause.
  void note_executed(path::Cause cause, Seconds started, Seconds seconds) noexcept {
    spent_.preparing += started - called_;
    spent_.add_computation(cause, seconds);
  }
  /// It was left out, and the program has gone on.
  void note_time_of_leaving_out() noexcept { spent_.leaving_out += resumed_ - called_; }
  /// Why the kernel that was asked about last is executed.
  [[nodiscard]] path::Cause cause() const noexcept { return decisions_.cause(); }

  /// Seconds of the clock that computation is measured by.
  [[nodiscard]] Seconds now() const noexcept;
  [[nodiscard]] static Seconds wall() noexcept;
  [[nodiscard]] bool uses_cpu_clock() const noexcept { return cpu_clock_; }

  [[nodiscard]] path::CriticalPath& path() noexcept { return path_; }
  [[nodiscard]] path::KernelTable& kernels() noexcept { return kernels_; }
  [[nodiscard]] const path::MessageModel& messages() const noexcept { return messages_; }
  [[nodiscard]] const MpiOptions& options() const noexcept { return options_; }

  /// Goes on with a path that leads here, if it is longer and not from before a reset.
  void follow(const Arrival& arrival) {
    note_skipped_elsewhere(arrival.left_out != 0, arrival.epoch);
    follow(arrival.mark, arrival.epoch, arrival.counts);
  }
  void follow(const Agreement& agreement) {
    note_skipped_elsewhere(agreement.skipped != 0, agreement.epoch);
    follow(agreement.mark, agreement.epoch, {});
  }
  /// The same for the agreement of a blocking collective, in which all processes of `channel` take part: what the policy propagates goes
  /// along.
  void follow(const Agreement& agreement, Channel& channel);
  /// What a message of ours says.
  [[nodiscard]] Envelope envelope(std::int64_t bytes, int tag, bool skipped) const noexcept {
    const int left_out = (skipped ? Envelope::itself : 0) | (has_skipped_ ? Envelope::before : 0);
    return {.bytes = bytes, .tag = tag, .left_out = static_cast<std::int8_t>(left_out), .epoch = static_cast<std::int16_t>(epoch_)};
  }
  /// `channel` if the agreement is that of a blocking collective on it.
  [[nodiscard]] Agreement agreement(bool execute, const Channel* channel = nullptr) const;
  /// Counts to go with a shadow; none unless policy is online.
  [[nodiscard]] path::KernelCounts counts() const;
  /// The program called `routine`; what it says of the message must not depend on time. For the comparison of two runs.
  void note_call(Routine routine, std::int64_t first, std::int64_t second, std::int64_t third) noexcept;

  /// A region of the program's own code begins; false if it is to be left out, and then it has ended too. One inside of another belongs to
  /// that.
  bool enter_region(const std::string& name, std::span<const std::int64_t> sizes, bool may_be_left_out);
  void leave_region();
  /// Whether the thread is in a region: BLAS there isn't counted apart.
  [[nodiscard]] bool is_in_region() const noexcept { return region_.depth > 0; }
  /// From now on what this process does is on its path, or isn't.
  void measure(bool on);
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  /// The same by the level of MPI_Pcontrol.
  void control(int level);
  /// The program has spawned so many processes, which aren't followed.
  void note_spawned(int processes) noexcept { spawned_ += processes; }
  /// It uses MPI-4's sessions, in which nothing is followed.
  void note_sessions() noexcept;
  /// Paths and counts begin anew; what is known of kernels' times is kept. Collective.
  void reset();

  /// Whether this launch is asked for executions of several configurations.
  [[nodiscard]] bool has_executions() const noexcept { return !executions_.empty(); }
  /// The program is done with an execution, if it has begun one, and asks whether there is another. Collective.
  bool next_configuration();
  /// The present configuration's value of a parameter, nullptr if it has none.
  const std::string* parameter(const std::string& name) { return executions_.empty() ? nullptr : executions_.value(name); }

  /// Number of the kernel that a communication is.
  std::uint32_t communication_kernel(Routine routine, std::int64_t bytes, int processes, int stride);
  /// A computational kernel took `seconds`, or would have if `executed` is false.
  void computed(std::uint32_t kernel, Seconds seconds, bool executed);
  /// A communication of `words` moved data for `seconds`, or would have, after `idle` seconds that nobody's work accounts for.
  void communicated(std::uint32_t kernel, Seconds seconds, double bytes, bool executed, Seconds idle = 0);

  /// It waited, on no path.
  void waited(Seconds seconds) noexcept {
    if (measures_) {
      path_.wait(seconds);
    }
  }

  /// It waited for nobody knows what: on its path.
  void waited_on_path(Seconds seconds) noexcept {
    if (measures_) {
      path_.add({.time = seconds, .idle = seconds});
    }
  }

  /// The program has asked MPI in vain whether something has come: the whole call is waiting, until it has.
  void note_vain_question() noexcept { asks_in_vain_ = true; }
  /// Seconds of such questions so far.
  [[nodiscard]] Seconds asked() const noexcept { return asked_; }
  /// What was asked for has come. It was under way since asked() was `since`; if that is unknown, negative, for `usual` seconds at most.
  /// Seconds of questions that count as communication; what came before was waiting for its sender, on no path.
  Seconds settle_questions(Seconds since, Seconds usual) noexcept;

  /// Runs `wait`, which waits for others and whose time is on no path of this process.
  template <class Wait>
  auto idle(Wait wait) {
    const Seconds start = cpu_clock_ ? 0 : wall();
    auto result = wait();
    waited(cpu_clock_ ? 0 : wall() - start);
    return result;
  }

  /// Tells the sender of a message of `bytes` (at most, if it hasn't come yet) that its receiver is there: a sender that had to wait for
  /// that goes by the receiver's path. Nothing where kernels are left out: while its sender waits for a moment, a receiver may have left out
  /// what takes the program long after that message, and a path that went on from there would count twice what both do.
  void acknowledge(const Channel& channel, int source, std::int64_t bytes);
  static constexpr std::int64_t least_acknowledged = 4096;  ///< smaller messages are sent without waiting for their receiver by every MPI
  /// A send took `surplus` longer than messages do: it goes on with the path of a receiver that it may have waited for. Seconds that none
  /// accounts for are returned; none where kernels are left out, since how long processes wait for each other then says nothing.
  /// `expects_word`: a receiver has acknowledged it, as far as anybody knows.
  Seconds explain_wait(Seconds surplus, bool expects_word = true);

  /// Whether kernel `kernel` is still to be executed, as far as this process is concerned.
  [[nodiscard]] bool wants_execution(std::uint32_t kernel);
  [[nodiscard]] Seconds estimate(std::uint32_t kernel) { return decisions_.estimate(kernel, kernels_[kernel]); }
  /// What the model says where the kernel was never executed.
  [[nodiscard]] Seconds estimate(std::uint32_t kernel, path::Pattern pattern, std::int64_t bytes, int processes);
  /// Whether something has been skipped here: then data are no longer the program's.
  [[nodiscard]] bool has_skipped() const noexcept { return has_skipped_; }
  void note_skipped() noexcept { set_skipped(true); }
  /// Data that come from another process, in this execution, may make these ones others than the program's.
  void note_skipped_elsewhere(bool skipped, std::int32_t epoch) noexcept { set_skipped(has_skipped_ || (skipped && epoch == epoch_)); }
  /// This process has left a kernel out by its own decision.
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
  /// A kernel's time goes into its statistics, if it was executed; what counts on the path.
  path::Counted note_time(std::uint32_t kernel, Seconds seconds, bool executed);
  /// It lies on the path from here on.
  void note_on_path(std::uint32_t kernel, const path::Counted& counted);
  /// What the program's own code between two kernels counts, having taken `seconds`.
  Seconds gap(Seconds seconds);
  void take_counts(const Agreement& agreement, Channel& channel);
  void hear(const Agreement& agreement, Channel& channel);
  /// Adds what the system has done for this thread since the last time, if it `counts`.
  void note_system_time(bool counts) noexcept;
  void require_same_options() const;
  void look_at_node();
  void measure_messages();
  void read_statistics();
  void read_executions();
  /// What this process has counted so far is forgotten, not what is known of times. Collective.
  void count_anew();
  template <class What, class Take>
  void tell_all(What what, Take take);
  void tell_counts_along();
  void tell_times();
  void begin_execution(std::size_t number, Seconds before);
  /// All that the processes have found since they began to count; at rank 0 complete. Collective.
  ProfileFacts conclude();
  /// Looks whether a selective execution made the calls of one in full.
  void compare_calls(const std::vector<CallSequence>& calls);
  /// The present execution's result is written. Collective; returns the length of its path.
  Seconds finish_execution();
  path::Costs visit_critical_path(const path::PathMark& end);
  path::Costs walk_back(path::Place& token, const path::Place& finished, OwnVector<Seconds>& estimates);
  /// Variance of the program's own code on this process's stretches of the critical path, where that counts with its usual time.
  [[nodiscard]] double program_variance() const;
  void note_contexts();
  void collect_kernels();
  void collect_region_names();
  [[nodiscard]] std::vector<CallSequence> gather_calls() const;
  [[nodiscard]] std::vector<ProcessFacts> gather_processes() const;

  /// A communication that was asked for last: programs send the same again and again.
  struct AskedKernel {
    std::uint32_t routine = std::numeric_limits<std::uint32_t>::max();
    int processes = 0, stride = 0;
    std::int64_t bytes = 0;
    std::uint32_t number = 0;
  };

  /// How far the program has got with its executions.
  enum class Progress : unsigned char { not_asked, running, finished };

  /// The outermost region that is open.
  struct Region {
    int depth = 0;
    std::uint32_t kernel = 0;
    Seconds seconds = 0;  ///< of computation in it so far
    bool communicates = false;
    path::Cause cause = path::Cause::always;  ///< of its execution
  };

  MpiOptions options_;
  path::ExecutionDecisions decisions_;
  path::EagerPropagation eager_;
  path::PathCounts counts_;
  CallSequence calls_;
  RegionNames regions_;
  Region region_;
  std::unordered_set<std::uint32_t> communicating_regions_;  ///< never left out
  MpiExecutions executions_;
  Progress progress_ = Progress::not_asked;
  using CallsByParameters = std::map<std::map<std::string, std::string>, std::vector<CallSequence>>;
  CallsByParameters full_calls_, selective_calls_;  ///< at rank 0, of executions in full and others
  bool calls_differ_ = false;                       ///< at rank 0: a selective execution made other calls than the one in full
  std::int32_t epoch_ = 0;                          ///< number of resets
  bool measures_ = true;
  bool tracking_ = false;
  bool has_skipped_ = false;
  bool uses_sessions_ = false;
  int spawned_ = 0;
  ProgressReport report_;
  bool cpu_clock_ = false;
  double granted_cpus_ = 0;          ///< by a control group whose processes are more; 0: there is none
  bool other_threads_call_ = false;  ///< one after the other (MPI_THREAD_SERIALIZED)
  std::mutex turns_;
  int rank_ = 0, size_ = 1;
  MPI_Comm world_ = MPI_COMM_NULL;  ///< our own, of all processes
  Seconds begun_ = 0;               ///< wall time when measuring began last
  Seconds elapsed_ = 0;             ///< wall time measured before that
  Seconds resumed_ = 0;             ///< when the program last went on
  Seconds called_ = 0;              ///< when it last called us
  OwnWork announcing_, after_sends_, after_receives_;
  OwnWork* rest_ = nullptr;  ///< what the present call still has to do after `done_`; nullptr if that varies
  Seconds done_ = 0;
  path::CriticalPath path_;
  bool asks_in_vain_ = false;
  Seconds asked_ = 0;            ///< in vain
  Seconds settled_ = 0;          ///< of that has been accounted for
  Seconds kernels_on_path_ = 0;  ///< of this process on the critical path, once that is known
  path::TimeSpent spent_;
  Seconds system_seconds_ = 0;  ///< of this thread, when it was looked at last
  double page_faults_ = 0;
  path::KernelTable kernels_;
  path::MessageModel messages_;
  std::uint32_t last_kernel_ = 0;              ///< that this process executed or left out
  OwnVector<path::KernelStatistics> gaps_;     ///< after each kernel, where nothing is left out
  std::array<AskedKernel, 16> asked_kernels_;  ///< by routine
};

/// The process's session, nullptr if the library has not been told to do anything. The one thing that all intercepted functions share.
extern Session* current_session;
inline Session* session() noexcept { return current_session; }
/// When the library is loaded.
void open_session() noexcept;

/// A stretch inside an intercepted function, entered from the program. False for calls that MPI makes of itself, from other threads, and
/// outside of a session.
class Inside {
 public:
  Inside() noexcept;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();
  explicit operator bool() const noexcept { return followed_; }

 private:
  bool followed_ = false;
};

/// Writes how far the process of rank 0 has got where the profile is going to be.
void write_stage(const MpiOptions& options, std::string_view stage) noexcept;

}  // namespace flopcast::interpose::mpi
