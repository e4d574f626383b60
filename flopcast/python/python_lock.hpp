#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>

#include <optional>

/// Giving away Python's lock and taking it again, also while the interpreter ends.
///
/// When the interpreter has ended, Python unwinds the stack of every daemon thread that asks for the lock. C++ ends a process whose
/// destructors are unwound, so that such a thread stops for ever before, as every thread does from Python 3.14 on.
namespace flopcast::python {

/// Arranges that threads which compute while the process ends don't lose the static objects and the BLAS that they use: without this, their
/// destructors would run. For the initialisation of the module.
void prepare_for_end_of_python();

/// Stops this thread for ever.
[[noreturn]] void stop_for_ever() noexcept;

/// Calls a function that may take Python's lock. A thread that Python ends there stops for ever.
template <class Function>
decltype(auto) while_python_lasts(Function&& function) {
  try {
    return function();
  } catch (const abi::__forced_unwind&) {
    stop_for_ever();
  }
}

/// Lets other Python threads run during its lifetime.
class WithoutPythonLock {
 public:
  WithoutPythonLock();
  ~WithoutPythonLock();
  WithoutPythonLock(const WithoutPythonLock&) = delete;
  WithoutPythonLock& operator=(const WithoutPythonLock&) = delete;

 private:
  PyThreadState* state_;
};

/// Holds Python's lock during its lifetime.
class WithPythonLock {
 public:
  WithPythonLock();
  ~WithPythonLock();
  WithPythonLock(const WithPythonLock&) = delete;
  WithPythonLock& operator=(const WithPythonLock&) = delete;

 private:
  std::optional<pybind11::gil_scoped_acquire> lock_;
};

}  // namespace flopcast::python
