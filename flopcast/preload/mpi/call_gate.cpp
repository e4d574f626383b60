#include "flopcast/preload/mpi/call_gate.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace flopcast::preload::mpi {

constinit thread_local ThreadFacts this_thread{};

namespace {

std::atomic<bool> main_thread_ended{false};

/// Makes this thread the main thread, until the thread ends.
void become_main_thread() noexcept {
  static const pthread_key_t at_end = [] {
    pthread_key_t key{};
    pthread_key_create(&key, [](void*) { main_thread_ended.store(true); });
    return key;
  }();
  this_thread.is_main = true;
  pthread_setspecific(at_end, &this_thread);
}

constexpr int barrier_command = 8;    // MEMBARRIER_CMD_PRIVATE_EXPEDITED of linux/membarrier.h
constexpr int register_command = 16;  // MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED

/// Runs a memory barrier in all threads of the process. Returns false if the kernel can't.
bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

void CallGate::open() noexcept {
  become_main_thread();
  others_.store(!membarrier(register_command));
  open_ = true;
}

bool CallGate::succeed_main_thread() noexcept {
  bool ended = true;
  if (!main_thread_ended.load(std::memory_order_relaxed) || !main_thread_ended.compare_exchange_strong(ended, false)) {
    return false;
  }
  become_main_thread();
  return true;
}

/// From here on the main thread takes the state as other threads do. An earlier use by the main thread shows in `main_`.
void CallGate::announce_others() noexcept {
  if (!others_.load(std::memory_order_relaxed)) {
    others_.store(true);
    membarrier(barrier_command);
  }
}

bool CallGate::take_among_threads(User user, bool waits) noexcept {
  if (!is_main_thread()) {
    announce_others();
  }
  const auto is_in_call = [](const std::atomic<User>& place) { return place.load(std::memory_order_acquire) == User::call; };
  for (User nobody = User::none; !user_.compare_exchange_weak(nobody, user, std::memory_order_acquire); nobody = User::none) {
    if (!waits && (user == User::action || is_in_call(user_))) {
      refused_ += user == User::call ? 1 : 0;
      return false;
    }
    sched_yield();
  }
  while (!is_main_thread() && main_.load(std::memory_order_acquire) != User::none) {
    if (is_in_call(main_)) {
      user_.store(User::none, std::memory_order_release);
      ++refused_;
      return false;
    }
    sched_yield();
  }
  return true;
}

}  // namespace flopcast::preload::mpi
