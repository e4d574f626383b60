#include "flopcast/machine/cpu/helper_threads.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstdint>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "flopcast/support/division.hpp"

namespace flopcast::machine {
namespace {

using Work = std::function<void(std::size_t)>;

/// Waits until the number is no longer `value`. The thread first spins as long as a small contraction takes, without keeping the core from
/// other threads, then sleeps.
void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t value) {
  constexpr int looks = 5000, looks_per_yield = 50;  // some 100 to 200 us in total
  for (int i = 1; i <= looks; ++i) {
    if (number.load(std::memory_order_acquire) != value) {
      return;
    }
    if (i % looks_per_yield == 0) {
      std::this_thread::yield();
    }
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  while (number.load(std::memory_order_acquire) == value) {
    number.wait(value, std::memory_order_acquire);
  }
}

/// Blocks the program's signals in threads that are started during its lifetime, because these signals are for the program's own threads.
/// Signals raised by a fault stay unblocked.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      sigdelset(&all, fault);
    }
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_{};
};

/// A caller's CPUs and floating-point environment.
struct HelperSetting {
  cpu_set_t cpus{};
  bool knows_cpus = false;  ///< false on machines with more CPUs than the set can hold
  int cpu = -1;             ///< present CPU of the caller
  fenv_t arithmetic{};      ///< rounding mode, and treatment of denormal numbers

  static HelperSetting of_this_thread() {
    HelperSetting setting;
    setting.knows_cpus = sched_getaffinity(0, sizeof(setting.cpus), &setting.cpus) == 0;
    setting.cpu = sched_getcpu();
    fegetenv(&setting.arithmetic);
    return setting;
  }
};

/// A thread that works on demand for as long as the process lives.
class Helper {
 public:
  /// Throws std::system_error or std::bad_alloc if the system refuses the thread.
  static std::shared_ptr<Helper> start() {
    auto helper = std::make_shared<Helper>();
    const WithoutSignals without_signals;
    std::thread([helper] { helper->serve(); }).detach();
    return helper;
  }

  /// `work` and `setting` must live until wait() has returned.
  void begin(const Work& work, std::size_t number, const HelperSetting& setting) {
    work_ = &work;
    number_ = number;
    setting_ = &setting;
    ++ordered_;
    ordered_.notify_one();
  }
  void wait() const {
    const std::uint32_t order = ordered_.load(std::memory_order_relaxed);
    for (std::uint32_t done = done_.load(std::memory_order_acquire); done != order; done = done_.load(std::memory_order_acquire)) {
      wait_while(done_, done);
    }
  }
  /// Withdraws the order unless the thread has begun it. Returns whether it is withdrawn; then wait() must not be called.
  bool call_off() { return claim(ordered_.load(std::memory_order_relaxed)); }

 private:
  /// Returns whether nobody has claimed an order before: neither the thread, to do it, nor the caller, to withdraw it.
  bool claim(std::uint32_t order) {
    std::uint32_t before = order - 1;
    return claimed_.compare_exchange_strong(before, order);
  }

  void serve() noexcept {
    for (std::uint32_t order = 0;;) {
      wait_while(ordered_, order);
      order = ordered_.load(std::memory_order_acquire);
      if (!claim(order)) {
        continue;
      }
      take_over(*setting_);
      (*work_)(number_);
      done_ = order;  // sequentially consistent with notify_one's check for waiters; otherwise a waiter could be missed
      done_.notify_one();
    }
  }

  void take_over(const HelperSetting& setting) {
    fesetenv(&setting.arithmetic);
    if (!setting.knows_cpus) {
      return;
    }
    if (!CPU_EQUAL(&cpus_, &setting.cpus)) {
      cpus_ = setting.cpus;
      sched_setaffinity(0, sizeof(cpus_), &cpus_);
    }
    // Two threads that only wait briefly for each other may share a core for long although other cores are idle, because the system
    // balances only threads that are always busy.
    cpu_set_t others = cpus_;
    if (setting.cpu >= 0 && sched_getcpu() == setting.cpu) {
      CPU_CLR(static_cast<std::size_t>(setting.cpu), &others);
      if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0) {
        sched_setaffinity(0, sizeof(cpus_), &cpus_);
      }
    }
  }

  alignas(cache_line_bytes) std::atomic<std::uint32_t> ordered_ = 0;
  alignas(cache_line_bytes) std::atomic<std::uint32_t> done_ = 0;
  std::atomic<std::uint32_t> claimed_ = 0;  ///< the newest order that was begun or withdrawn
  const Work* work_ = nullptr;
  std::size_t number_ = 0;
  const HelperSetting* setting_ = nullptr;
  cpu_set_t cpus_{};
};

/// The helper threads of this process. The crew is never destroyed, because the threads outlive static objects.
struct Crew {
  std::atomic<bool> taken = false;
  std::vector<std::shared_ptr<Helper>> helpers;
};

std::atomic<Crew*> current_crew = nullptr;

Crew& crew() {
  Crew* found = current_crew.load();
  if (found != nullptr) {
    return *found;
  }
  static const int registered = pthread_atfork(nullptr, nullptr, [] { current_crew = nullptr; });  // a forked child has no helper threads
  static_cast<void>(registered);
  auto fresh = std::make_unique<Crew>();
  return current_crew.compare_exchange_strong(found, fresh.get()) ? *fresh.release() : *found;
}

/// Exclusive use of a crew, unless another caller is using it.
class HelperTurn {
 public:
  explicit HelperTurn(Crew& crew) : crew_(crew.taken.exchange(true, std::memory_order_acquire) ? nullptr : &crew) {}
  ~HelperTurn() {
    if (crew_ != nullptr) {
      crew_->taken.store(false, std::memory_order_release);
    }
  }
  HelperTurn(const HelperTurn&) = delete;
  HelperTurn& operator=(const HelperTurn&) = delete;
  [[nodiscard]] bool is_mine() const { return crew_ != nullptr; }

 private:
  Crew* crew_;
};

/// Calls `start`. Returns whether the system granted a thread.
template <class Start>
bool is_started(Start&& start) {
  try {
    start();
    return true;
  } catch (const std::system_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void run_in_new_threads(std::size_t count, const Work& work, const Work& refused) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::size_t i = 1; i < count; ++i) {
    if (!is_started([&] { threads.emplace_back(std::cref(work), i); })) {
      refused(i);
    }
  }
  work(0);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

enum class Rest : std::uint8_t { wait, call_off };  ///< treatment of threads that haven't begun when the caller's work is done

void run_with(Crew& crew, std::size_t count, const Work& work, const Work& refused, Rest rest) {
  while (crew.helpers.size() + 1 < count && is_started([&] { crew.helpers.push_back(Helper::start()); })) {
  }
  const std::size_t helped = std::min(count - 1, crew.helpers.size());
  for (std::size_t i = helped + 1; i < count; ++i) {
    refused(i);
  }
  const HelperSetting setting = HelperSetting::of_this_thread();
  for (std::size_t i = 0; i < helped; ++i) {
    crew.helpers[i]->begin(work, i + 1, setting);
  }
  work(0);
  for (std::size_t i = 0; i < helped; ++i) {
    if (rest == Rest::wait || !crew.helpers[i]->call_off()) {
      crew.helpers[i]->wait();
    }
  }
}

void run(std::size_t count, const Work& work, const Work& refused, Rest rest) {
  const Work or_end = [&](std::size_t i) noexcept { work(i); };
  if (count <= 1) {
    work(0);
    return;
  }
  if (count <= std::max(2U, std::thread::hardware_concurrency())) {
    const HelperTurn turn(crew());
    if (turn.is_mine()) {
      run_with(crew(), count, or_end, refused, rest);
      return;
    }
  }
  run_in_new_threads(count, or_end, refused);
}

}  // namespace

void run_with_helpers(std::size_t count, const Work& work, const Work& refused) { run(count, work, refused, Rest::wait); }

void share_with_helpers(std::size_t count, const Work& work) {
  run(
      count, work, [](std::size_t) {}, Rest::call_off);
}

}  // namespace flopcast::machine
