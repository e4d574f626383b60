#include "flopcast/contract/helper_threads.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace flopcast::contract {
namespace {

using Work = std::function<void(std::size_t)>;

/// Waits until the number is no longer `value`: awake at first, as long as a small contraction takes, but without keeping a core from others.
void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t value) {
  constexpr int looks = 5000, looks_per_yield = 50;  // some 100 to 200 us in all
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

/// Goes on on another core than `cpu`, if there is one. Two threads that only ever wait for each other for a moment may share a core for
/// long, beside idle ones: the system balances what is always busy.
void leave(int cpu) {
  cpu_set_t usual;
  if (sched_getaffinity(0, sizeof(usual), &usual) != 0) {
    return;
  }
  cpu_set_t others = usual;
  CPU_CLR(static_cast<std::size_t>(cpu), &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof(others), &others) == 0) {
    sched_setaffinity(0, sizeof(usual), &usual);
  }
}

/// A thread that works when it is told to, for as long as the process lives.
class Helper {
 public:
  /// Throws std::system_error if the system has no thread.
  static std::shared_ptr<Helper> start() {
    auto helper = std::make_shared<Helper>();
    std::thread([helper] { helper->serve(); }).detach();
    return helper;
  }

  void begin(const Work& work, std::size_t number) {
    work_ = &work;
    number_ = number;
    callers_cpu_ = sched_getcpu();
    ordered_.fetch_add(1, std::memory_order_release);
    ordered_.notify_one();
  }
  void wait() const {
    const std::uint32_t ordered = ordered_.load(std::memory_order_relaxed);
    wait_while(done_, ordered - 1);
  }

 private:
  void serve() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's signals are for its own threads
    for (std::uint32_t done = 0;; ++done) {
      wait_while(ordered_, done);
      if (callers_cpu_ >= 0 && sched_getcpu() == callers_cpu_) {
        leave(callers_cpu_);
      }
      (*work_)(number_);
      done_.store(done + 1, std::memory_order_release);
      done_.notify_one();
    }
  }

  static constexpr std::size_t line_bytes = 64;
  const Work* work_ = nullptr;
  std::size_t number_ = 0;
  int callers_cpu_ = -1;
  alignas(line_bytes) std::atomic<std::uint32_t> ordered_ = 0;
  alignas(line_bytes) std::atomic<std::uint32_t> done_ = 0;
};

/// The helpers of this process; never destroyed, as they outlive static objects.
struct Crew {
  std::mutex mutex;  ///< of whoever has them
  pid_t process = getpid();
  std::vector<std::shared_ptr<Helper>> helpers;

  static Crew& mine() {
    static std::atomic<Crew*> crew = new Crew;
    Crew* found = crew.load();
    if (found->process == getpid()) {
      return *found;
    }
    auto* const fresh = new Crew;  // a fork left the others, and perhaps a locked mutex, behind
    if (crew.compare_exchange_strong(found, fresh)) {
      return *fresh;
    }
    delete fresh;  // another thread was quicker
    return *found;
  }
};

void run_in_new_threads(std::size_t count, const Work& work, const Work& refused) {
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < count; ++i) {
    try {
      threads.emplace_back(std::cref(work), i);
    } catch (const std::system_error&) {
      refused(i);
    }
  }
  work(0);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace

void run_with_helpers(std::size_t count, const Work& work, const Work& refused) {
  if (count <= 1) {
    work(0);
    return;
  }
  Crew& crew = Crew::mine();
  const std::unique_lock lock(crew.mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    run_in_new_threads(count, work, refused);
    return;
  }
  try {
    while (crew.helpers.size() + 1 < count) {
      crew.helpers.push_back(Helper::start());
    }
  } catch (const std::system_error&) {  // fewer, then
  }
  const std::size_t helped = std::min(count, crew.helpers.size() + 1);
  for (std::size_t i = helped; i < count; ++i) {
    refused(i);
  }
  for (std::size_t i = 1; i < helped; ++i) {
    crew.helpers[i - 1]->begin(work, i);
  }
  work(0);
  for (std::size_t i = 1; i < helped; ++i) {
    crew.helpers[i - 1]->wait();
  }
}

}  // namespace flopcast::contract
