#include "flopcast/support/no_fork_scope.hpp"

#include <pthread.h>

#include <atomic>

namespace flopcast {
namespace {

std::atomic<int> inside = 0;   // threads within a section
std::atomic<int> forking = 0;  // threads within fork()
thread_local int depth = 0;    // sections of this thread

void wait_for_others() {
  ++forking;
  const int own = depth > 0 ? 1 : 0;
  for (int threads = inside; threads > own; threads = inside) {
    inside.wait(threads);
  }
}

void go_on() {
  if (--forking == 0) {
    forking.notify_all();
  }
}

/// The child has one thread.
void go_on_in_child() {
  forking = 0;
  inside = depth > 0 ? 1 : 0;
}

void leave() {
  --inside;
  if (forking > 0) {
    inside.notify_all();
  }
}

}  // namespace

NoForkScope::NoForkScope() noexcept {
  static const int registered = pthread_atfork(wait_for_others, go_on, go_on_in_child);
  static_cast<void>(registered);
  if (depth++ > 0) {
    return;
  }
  ++inside;
  while (const int threads = forking) {
    leave();
    forking.wait(threads);
    ++inside;
  }
}

NoForkScope::~NoForkScope() {
  if (--depth == 0) {
    leave();
  }
}

}  // namespace flopcast
