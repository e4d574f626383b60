#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/path/critical_path.hpp"
#include "flopcast/preload/mpi/kernel_decisions.hpp"
#include "flopcast/preload/mpi/open_region.hpp"
#include "flopcast/preload/mpi/polling.hpp"
#include "flopcast/preload/mpi/program_gaps.hpp"
#include "flopcast/preload/mpi/session_clock.hpp"
#include "flopcast/preload/mpi/timeline_bins.hpp"
#include "flopcast/preload/mpi/timeline_events.hpp"
#include "flopcast/preload/mpi/waits.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// The process's path and its sums of time, to which everything that the process does is added: its own code, kernels that are executed
/// or skipped, and waiting. Interceptions report what has happened, and nothing counts while the program isn't measured.
/// Times of communication that the clock can't measure (CPU time) come from the model of messages, and waiting then has no time.
class PathLedger {
 public:
  PathLedger(KernelDecisions& kernels, SessionClock& clock) : kernels_(kernels), clock_(clock) {}

  /// Begins an empty path of the process `rank`.
  void begin(int rank);
  /// Notes that all processes begin now. `in_full`: no kernel will be skipped. Keeps at most `max_events` events.
  void start_together(bool in_full, std::size_t max_events) {
    origin_ = SessionClock::wall();
    timeline_ = {};
    shows_ = in_full && !clock_.is_cpu_time();
    events_.begin(shows_ ? max_events : 0);
    path_parts_.begin(shows_ ? max_events : 0);
  }
  /// Puts this process's actions on its path from now on, or takes them off.
  void measure(bool on) noexcept;
  [[nodiscard]] bool measures() const noexcept { return measures_; }
  /// Completes the sums of time up to now.
  void count_until_now() noexcept;

  [[nodiscard]] const path::CriticalPath& path() const noexcept { return path_; }
  /// Returns the path for other processes to continue on, with all of its computation in the log.
  [[nodiscard]] const path::CriticalPath& path_to_send() {
    region_.is_open() ? path_.name_part(region_.kernel()) : path_.name_part();
    return path_;
  }
  /// Continues on a longer path: see CriticalPath::follow().
  bool follow(const path::PathMark& mark) { return path_.follow(mark, since_start()); }
  [[nodiscard]] const ProgramGaps& gaps() const noexcept { return gaps_; }
  [[nodiscard]] OpenRegion& region() noexcept { return region_; }
  /// Returns the process's timeline; nullptr if the clock has no real times, or kernels are skipped.
  [[nodiscard]] TimelineBins* timeline() noexcept { return shows_ ? &timeline_ : nullptr; }
  /// Returns the events of this process, and the parts of the critical path in it, which the walk back adds.
  [[nodiscard]] TimelineEvents& events() noexcept { return events_; }
  [[nodiscard]] TimelineEvents& path_parts() noexcept { return path_parts_; }
  /// Returns the wall time since all processes began.
  [[nodiscard]] Seconds since_start() const noexcept { return SessionClock::wall() - origin_; }
  /// Returns this process's times in outermost regions that weren't skipped.
  [[nodiscard]] const std::vector<RegionLoad>& region_loads() const noexcept { return region_loads_; }
  [[nodiscard]] Polling& polling() noexcept { return polling_; }
  [[nodiscard]] Waits& waits() noexcept { return waits_; }
  /// Returns the real time that the process has spent so far.
  [[nodiscard]] selective::TimeSpent spent() const noexcept;

  /// Notes that the program has just called the library. The time since return_to_program() counts as computation.
  void leave_program() noexcept {
    if (!measures_) {
      return;
    }
    clock_.enter_library();
    const Seconds polled = polling_.take_untimed(clock_.in_program());
    const Seconds taken = clock_.in_program() - polled;
    spent_.program += taken;
    spent_.calls += polled;
    show(region_.is_open() ? Activity::computation : Activity::own_code, clock_.called() - taken, clock_.called());
    const Seconds seconds = kernels_.decisions.has_windows() ? gaps_.counted(taken, kernels_.decisions.is_in_context()) : taken;
    path_.compute(seconds);
    region_.compute(seconds);
  }
  void return_to_program() noexcept { clock_.return_to_program(); }
  /// Notes the end of an MPI call; `own` says that the thread's time is on the path.
  void end_call(bool own) noexcept {
    waited_in_call_ = polling_.is_in_vain() ? clock_.in_call() : waited_in_call_;
    polling_.end_call(measures_ && own && !clock_.is_cpu_time() ? clock_.in_call() : 0);
    if (measures_) {
      spent_.calls += clock_.in_call();
    }
    if (measures_ && own) {
      const Seconds begun = clock_.called(), went_on = begun + clock_.in_call();
      const Seconds transfer = std::min(begun + waited_in_call_, went_on);
      show(Activity::waiting, begun, transfer);
      show(Activity::communication, transfer, went_on);
      if (waits_.place().routine != Wait::no_routine) {
        events_.add(clock_.wall_at(begun) - origin_, went_on - begun, waits_.place().routine | TimelineEvent::call_bit);
      }
    }
    waited_in_call_ = 0;
  }

  /// Returns whether this process still needs executions of kernel `kernel`.
  [[nodiscard]] bool wants_execution(std::uint32_t kernel) { return !measures_ || kernels_.wants_execution(kernel, path_.length()); }
  /// Notes that a computational kernel, which the program called at SessionClock::called(), was executed from `started` for `seconds`,
  /// because of `cause`, and the program goes on.
  void executed(std::uint32_t kernel, selective::Cause cause, Seconds started, Seconds seconds);
  /// Notes that a computational kernel was skipped, and the program goes on.
  void skipped(std::uint32_t kernel);
  /// Notes that a communication took `measured` seconds, after `idle` seconds without a known cause.
  void executed(const Communication& communication, Seconds measured, Seconds idle = 0) {
    executed(communication, measured, idle, communication);
  }
  /// Notes that the call alone of a communication, which goes on beside the program, took `measured` seconds.
  void begun(const Communication& communication, Seconds measured) { executed(communication, measured, 0, {}); }
  /// Notes that a communication was skipped.
  void skipped(const Communication& communication);

  /// Notes that the call of `routine` waits for process `rank` of MPI_COMM_WORLD from here on.
  void note_awaited(Routine routine, std::int32_t rank = Wait::nobody, MpiWaitKind kind = MpiWaitKind::collective) {
    if (clock_.is_cpu_time()) {
      waits_.add_until(SessionClock::wall());
    }
    waits_.await(static_cast<std::uint32_t>(routine), rank, kind);
  }
  /// Notes that the latest agreement named the process that comes last to a collective. With CPU time the longest path doesn't say which.
  void note_last_to_come(std::int32_t rank) noexcept {
    const WaitPlace& place = waits_.place();
    waits_.await(place.routine, clock_.is_cpu_time() || rank == rank_ ? Wait::nobody : rank, MpiWaitKind::collective);
  }
  /// Notes that the call waited for process `rank` to receive.
  void note_late_receiver(std::int32_t rank) {
    const bool is_known = waits_.place().routine != Wait::no_routine;
    note_awaited(is_known ? static_cast<Routine>(waits_.place().routine) : Routine::wait, rank, MpiWaitKind::late_receiver);
  }
  /// Notes that this process waited, which is on no path.
  void waited(Seconds seconds) noexcept {
    if (measures_ && !clock_.is_cpu_time()) {
      path_.wait(seconds);
      waits_.add(seconds);
      waited_in_call_ += seconds;
    }
  }
  /// Notes that this process waited for an unknown cause, which is on its path.
  void waited_on_path(Seconds seconds) noexcept;
  /// Runs `wait`, which waits for other processes and whose time is on no path of this process.
  template <class Wait>
  auto idle(Wait wait) {
    const Seconds start = clock_.message_time();
    auto result = wait();
    waited(clock_.message_time() - start);
    return result;
  }
  /// Ends polling: see Polling::end(). Returns the seconds of polling that count as communication. The polling before was waiting for
  /// the sender, which is on no path.
  Seconds end_polling(Seconds since, Seconds usual) noexcept;

  /// Begins an outermost region of the program's own code, the kernel `kernel`. Returns false if the region is to be skipped; it has then
  /// ended, too.
  bool enter_region(std::uint32_t kernel, bool may_be_skipped);
  /// Ends an outermost region.
  void leave_region();

 private:
  /// Adds an activity between two moments of the clock to the timeline.
  void show(Activity activity, Seconds begin, Seconds end) noexcept {
    if (shows_) {
      timeline_.add(activity, clock_.wall_at(begin) - origin_, clock_.wall_at(end) - origin_);
    }
  }
  /// Notes a communication; if time can't be measured, that of `model` counts.
  void executed(const Communication& communication, Seconds measured, Seconds idle, const Communication& model);
  void computed(std::uint32_t kernel, Seconds seconds, bool executed);
  void communicated(const Communication& communication, Seconds seconds, bool executed, Seconds idle);
  /// Puts the kernel on the path from here on.
  void note_on_path(std::uint32_t kernel, const selective::PathContribution& counted);
  void drop_region() noexcept;
  /// Adds the time since the open region began to the region's.
  void add_load(std::uint32_t region);
  /// Notes that the kernel was the latest on the path.
  void note_last(std::uint32_t kernel);

  KernelDecisions& kernels_;
  SessionClock& clock_;
  bool measures_ = true;
  int rank_ = 0;
  bool shows_ = false;          ///< there is a timeline
  Seconds origin_ = 0;          ///< wall time at which all processes began
  Seconds waited_in_call_ = 0;  ///< waiting in the current call of MPI
  TimelineBins timeline_;
  TimelineEvents events_, path_parts_;
  Seconds region_began_ = 0;  ///< wall time since the start
  path::CriticalPath path_;
  selective::TimeSpent spent_;
  ProgramGaps gaps_;
  OpenRegion region_;
  path::Costs before_region_;  ///< the process's costs when the open region began
  std::vector<RegionLoad> region_loads_;
  Polling polling_;
  Waits waits_;
};

}  // namespace flopcast::preload::mpi
