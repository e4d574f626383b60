#pragma once

#include <pybind11/pybind11.h>

#include <complex>
#include <functional>
#include <span>

namespace flopcast::python {

/// Arguments of a call from Python: those without a name, then the values of the named ones.
struct Arguments {
  std::span<PyObject* const> positional;
  std::span<PyObject* const> named;
  PyObject* names = nullptr;  ///< tuple of the names; null if there are none
};

/// Body of a function. Returns a new reference. May throw Error, Cancelled and pybind11's exceptions.
using Body = std::function<pybind11::object(const Arguments& arguments)>;

/// Makes a function of Python that takes its arguments in an array (PEP 590), which costs a tenth of the time of pybind11's own functions.
/// `name` and `doc` must outlive the function.
pybind11::object make_function(const char* name, const char* doc, const pybind11::object& module_name, Body body);

/// Calls `function` with the arguments as they are.
pybind11::object call(const pybind11::object& function, const Arguments& arguments);

/// Returns the value of the argument `name`. Throws Python's TypeError for what is no number.
std::complex<double> number_argument(PyObject* name, PyObject* value);

/// Sets Python's exception for the C++ exception that is being handled.
void set_python_error() noexcept;

/// Returns whether Ctrl-C was pressed, or another signal's handler raised an exception. That exception is raised later, when the C++
/// functions have returned.
bool is_interrupted();

}  // namespace flopcast::python
