#include "flopcast/python/python_lock.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace flopcast::python {
namespace {

std::atomic<int> computing = 0;          // threads that compute without Python's lock
thread_local bool is_computing = false;  // this thread is within the lifetime of a WithoutPythonLock
std::atomic<bool> has_ended = false;     // Python has ended

/// Ends the process at once if threads still compute: nothing can stop them, and their libraries can't be taken away from them.
void end_at_once_if_computing(int status, void* /*nothing*/) {
  if (computing > 0) {
    static_cast<void>(std::fflush(nullptr));
    ::_exit(status);
  }
}

/// Registered last, the function for the end of the process runs first.
void note_end() {
  has_ended = true;
  static_cast<void>(::on_exit(end_at_once_if_computing, nullptr));
}

}  // namespace

void prepare_for_end_of_python() { static_cast<void>(Py_AtExit(note_end)); }

void stop_for_ever() noexcept {
  while (true) {
    ::pause();
  }
}

WithoutPythonLock::WithoutPythonLock() : state_(PyEval_SaveThread()) {
  is_computing = true;
  ++computing;
}

WithoutPythonLock::~WithoutPythonLock() {
  is_computing = false;
  --computing;
  if (has_ended) {
    stop_for_ever();
  }
  while_python_lasts([this] { PyEval_RestoreThread(state_); });
}

WithPythonLock::WithPythonLock() {
  if (is_computing) {
    --computing;
  }
  if (has_ended) {
    stop_for_ever();
  }
  while_python_lasts([this] { lock_.emplace(); });
}

WithPythonLock::~WithPythonLock() {
  if (is_computing) {
    ++computing;
  }
}

}  // namespace flopcast::python
