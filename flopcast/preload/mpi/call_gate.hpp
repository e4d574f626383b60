#pragma once

#include <mutex>
#include <optional>
#include <utility>

namespace flopcast::preload::mpi {

/// Decides which threads' calls are followed, and when. In programs that call MPI from several threads, one at a time
/// (MPI_THREAD_SERIALIZED), it also locks the session's state.
class CallGate {
 public:
  /// Sets whether other threads than this one call MPI, too.
  void choose(bool other_threads_call) noexcept { other_threads_call_ = other_threads_call; }
  /// Follows the calls of this thread, which called MPI_Init, from now on.
  void open() noexcept;
  /// Follows nothing from now on.
  void close() noexcept { open_ = false; }

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  [[nodiscard]] bool other_threads_call() const noexcept { return other_threads_call_; }
  /// Returns whether this thread called MPI_Init.
  [[nodiscard]] static bool is_main_thread() noexcept;
  /// Returns whether this thread's actions are followed: while the gate is open, in the thread that called MPI_Init.
  [[nodiscard]] bool follows_this_thread() const noexcept { return open_ && is_main_thread(); }
  /// Returns whether this thread's MPI calls are followed. They are in other threads, too, if the program may call MPI there.
  [[nodiscard]] bool follows_calls() const noexcept { return open_ && (is_main_thread() || other_threads_call_); }
  /// Returns follows_this_thread() while the thread executes the program's code, and false inside an intercepted MPI function.
  [[nodiscard]] bool follows_program() const noexcept;

  /// Returns whether the thread that is followed is inside an intercepted MPI function, and not in the program's code that MPI called there.
  [[nodiscard]] bool is_inside_mpi() const noexcept;

  /// Notes that MPI calls the program's code. Its kernels are followed, but not its calls of MPI.
  static void enter_callback() noexcept;
  static void leave_callback() noexcept;
  /// Notes that this thread has entered an intercepted function. Returns whether it was in none before.
  static bool enter_function() noexcept;
  static void leave_function() noexcept;

  /// Locks the session's state during an intercepted function.
  void lock() noexcept {
    if (other_threads_call_) {
      turns_.lock();
    }
  }
  void unlock() noexcept {
    if (other_threads_call_) {
      turns_.unlock();
    }
  }
  /// Locks the session's state, which MPI calls of other threads use, too. Waits for them.
  [[nodiscard]] std::unique_lock<std::mutex> turn() {
    return other_threads_call_ ? std::unique_lock(turns_) : std::unique_lock<std::mutex>();
  }
  /// Locks the state without waiting; returns nothing if another thread has it.
  [[nodiscard]] std::optional<std::unique_lock<std::mutex>> try_lock_turn() {
    std::unique_lock<std::mutex> lock = other_threads_call_ ? std::unique_lock(turns_, std::try_to_lock) : std::unique_lock<std::mutex>();
    return other_threads_call_ && !lock ? std::nullopt : std::optional(std::move(lock));
  }

 private:
  bool open_ = false;
  bool other_threads_call_ = false;
  std::mutex turns_;
};

}  // namespace flopcast::preload::mpi
