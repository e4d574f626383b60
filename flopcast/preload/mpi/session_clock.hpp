#pragma once

#include <algorithm>

#include "flopcast/core/mpi_values.hpp"
#include "flopcast/preload/kernels/overhead_estimate.hpp"
#include "flopcast/preload/kernels/wall_clock.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::preload::mpi {

/// Measures a process: when the program called the library and when it went on, the wall time between start and stop, and the system's
/// part.
class SessionClock {
 public:
  /// Chooses CPU time or wall time.
  void choose(bool cpu_time) noexcept {
    cpu_time_ = cpu_time;
    estimates_ = !cpu_time;
  }
  /// Notes that other threads call MPI, so that the library's own work can't be estimated any more.
  void stop_estimating() noexcept { estimates_ = false; }
  [[nodiscard]] bool is_cpu_time() const noexcept { return cpu_time_; }
  /// Returns the seconds of the clock that measures computation.
  [[nodiscard]] Seconds now() const noexcept { return (cpu_time_ ? thread_cpu_time() : FastWallClock::now()) - excluded_; }
  /// Returns now() where messages are timed; 0 with CPU time, where the model of messages gives their times.
  [[nodiscard]] Seconds message_time() const noexcept { return cpu_time_ ? 0 : now(); }
  [[nodiscard]] static Seconds wall() noexcept { return FastWallClock::now(); }

  /// Notes that the program has just called the library.
  void enter_library() noexcept { called_ = now(); }
  /// Leaves the time since `moment` out of the clock, and sets the time of the program's latest call to `called`. Meanwhile MPI has called
  /// the program's code, whose time isn't MPI's.
  void exclude_since(Seconds moment, Seconds called) noexcept {
    excluded_ += now() - moment;
    called_ = called;
  }
  /// Notes that the program goes on.
  void return_to_program() noexcept { resumed_ = now(); }
  /// Notes that the program goes on after an intercepted MPI function, whose last work may be estimated.
  void end_call() noexcept;
  /// Notes the end of another thread's call. Its time must not be on the path twice.
  void end_call_of_other_thread() noexcept {
    resumed_ += cpu_time_ ? 0 : now() - called_;
    rest_ = nullptr;
  }
  /// Returns the time of the program's latest call.
  [[nodiscard]] Seconds called() const noexcept { return called_; }
  /// Returns the wall time at a moment of now().
  [[nodiscard]] Seconds wall_at(Seconds moment) const noexcept { return moment + excluded_; }
  /// Returns the wall time of that call, and of the moment when the program went on after it.
  [[nodiscard]] Seconds wall_of_call() const noexcept { return cpu_time_ ? wall() : called_ + excluded_; }
  [[nodiscard]] Seconds wall_of_return() const noexcept { return cpu_time_ ? wall() : resumed_ + excluded_; }
  /// Returns the time since called().
  [[nodiscard]] Seconds since_call() const noexcept { return std::max(now() - called_, 0.0); }
  /// Returns the program's time before its latest call.
  [[nodiscard]] Seconds in_program() const noexcept { return std::max(called_ - resumed_, 0.0); }
  /// Returns the duration of the latest call, which has ended.
  [[nodiscard]] Seconds in_call() const noexcept { return std::max(resumed_ - called_, 0.0); }

  /// Returns the time at which MPI is called to send, after the library's own work for the message. With the wall clock the time is mostly
  /// estimated without reading the clock.
  [[nodiscard]] Seconds begin_send() noexcept {
    return estimates_ ? announcing_.end(called_, [this] { return now(); }) : now();
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

  /// Starts measuring wall time.
  void start() noexcept { begun_ = wall(); }
  /// Adds the wall time since start() to the measured time.
  void stop() noexcept { measured_ += wall() - begun_; }
  /// Forgets the measured time, and starts.
  void restart() noexcept {
    measured_ = 0;
    start();
  }
  /// Returns the measured wall time; `running`: start() was called after the last stop().
  [[nodiscard]] Seconds measured(bool running) const noexcept { return measured_ + (running ? wall() - begun_ : 0); }

  /// Adds the system time and page faults of this thread since the last call to `spent`, unless it is nullptr.
  void note_system_time(selective::TimeSpent* spent) noexcept;

 private:
  bool cpu_time_ = false, estimates_ = false;
  Seconds excluded_ = 0;
  Seconds resumed_ = 0, called_ = 0;
  OverheadEstimate announcing_, after_sends_, after_receives_;
  OverheadEstimate* rest_ = nullptr;  ///< remaining work of the current call after `done_`; nullptr if it varies
  Seconds done_ = 0;
  Seconds begun_ = 0;     ///< wall time of the latest start()
  Seconds measured_ = 0;  ///< wall time measured before that
  Seconds system_ = 0;    ///< system time of this thread when it was last read
  double page_faults_ = 0;
};

}  // namespace flopcast::preload::mpi
