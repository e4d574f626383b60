#pragma once

#include <atomic>
#include <optional>

namespace flopcast::preload::mpi {

/// Facts about the current thread. They are read in every call.
struct ThreadFacts {
  bool is_main = false;      ///< the thread is the main thread
  int depth = 0;             ///< intercepted functions that the thread is in
  bool in_own_call = false;  ///< one of these has the session's state
  bool in_callback = false;  ///< the innermost of these has called the program's code
};
extern constinit thread_local ThreadFacts this_thread;

/// Decides which threads' calls are traced, and when. Threads other than the one that called MPI_Init may call MPI too, one at a time,
/// whatever level of threads the program has asked for. The gate then lets one thread at a time use the session's state. Until the first
/// such call the state belongs to the main thread, which marks its use by plain writes.
class CallGate {
 public:
  /// Traces calls from now on. This thread, which called MPI_Init, is the main thread.
  void open() noexcept;
  /// Traces nothing from now on.
  void close() noexcept { open_ = false; }

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// Returns whether this thread called MPI_Init, or has taken over from that thread, which has ended.
  [[nodiscard]] static bool is_main_thread() noexcept { return this_thread.is_main; }
  /// Makes this thread the main thread if there is none any more. Returns whether it does.
  bool succeed_main_thread() noexcept;
  /// Returns whether this thread's actions are traced: while the gate is open, in the main thread.
  [[nodiscard]] bool traces_this_thread() const noexcept { return open_ && is_main_thread(); }
  /// Returns traces_this_thread() while the thread executes the program's code, and false inside an intercepted MPI function.
  [[nodiscard]] bool traces_program() const noexcept { return traces_this_thread() && (!is_in_function() || this_thread.in_callback); }

  /// Returns whether the main thread is inside an MPI call that is traced, and not in the program's code that MPI called there.
  [[nodiscard]] bool is_inside_mpi() const noexcept { return traces_this_thread() && this_thread.in_own_call && !this_thread.in_callback; }
  /// Notes that MPI calls the program's code. Its kernels are traced, but not its calls of MPI.
  static void enter_callback() noexcept { this_thread.in_callback = true; }
  static void leave_callback() noexcept { this_thread.in_callback = false; }

  /// Notes that this thread has entered an intercepted function. Returns whether it was in none before.
  static bool enter_function() noexcept { return this_thread.depth++ == 0; }
  static void leave_function() noexcept { --this_thread.depth; }
  [[nodiscard]] static bool is_in_function() noexcept { return this_thread.depth > 0; }

  /// Takes the session's state for an MPI call of this thread. Returns false if another thread is in an MPI call, because a program that
  /// calls MPI from several threads at once must not wait for the end of that call.
  [[nodiscard]] bool take_for_call() noexcept { return this_thread.in_own_call = take(User::call, false); }
  /// Gives the state back.
  void give_back() noexcept {
    this_thread.in_own_call = false;
    std::atomic<User>& place = is_main_thread() && main_.load(std::memory_order_relaxed) != User::none ? main_ : user_;
    place.store(User::none, std::memory_order_release);
  }
  /// Returns the number of calls for which take_for_call() returned false.
  [[nodiscard]] int refused_calls() const noexcept { return refused_.load(std::memory_order_relaxed); }

  /// Possession of the session's state, until the object's end. A thread whose call has the state keeps it: MPI calls the program's code
  /// there.
  class Possession {
   public:
    explicit Possession(CallGate* gate) noexcept : gate_(gate) {}
    Possession(Possession&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
    Possession(const Possession&) = delete;
    Possession& operator=(const Possession&) = delete;
    Possession& operator=(Possession&&) = delete;
    ~Possession() {
      if (gate_ != nullptr) {
        gate_->give_back();
      }
    }

   private:
    CallGate* gate_;
  };
  /// Takes the state for another action of the main thread. Waits for other threads' calls.
  [[nodiscard]] Possession turn() noexcept {
    if (this_thread.in_own_call) {
      return Possession(nullptr);
    }
    while (!take(User::action, true)) {
    }
    return Possession(this);
  }
  /// Takes the state without waiting; returns nothing if another thread has it.
  [[nodiscard]] std::optional<Possession> try_turn() noexcept {
    if (this_thread.in_own_call) {
      return std::optional<Possession>(std::in_place, nullptr);
    }
    return take(User::action, false) ? std::optional<Possession>(std::in_place, this) : std::nullopt;
  }

 private:
  /// Purpose for which a thread has the state.
  enum class User : unsigned char { none, action, call };
  [[nodiscard]] bool take(User user, bool waits) noexcept {
    if (is_main_thread()) {
      main_.store(user, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // the other side is in announce_others()
      if (!others_.load(std::memory_order_relaxed)) {
        return true;
      }
      main_.store(User::none, std::memory_order_release);
    }
    return take_among_threads(user, waits);
  }
  bool take_among_threads(User user, bool waits) noexcept;
  void announce_others() noexcept;

  bool open_ = false;
  std::atomic<bool> others_{false};
  std::atomic<User> main_{User::none};  ///< the main thread's use of the state while no other thread calls
  std::atomic<User> user_{User::none};  ///< the use that some thread makes of the state once others call
  std::atomic<int> refused_{0};
};

}  // namespace flopcast::preload::mpi
