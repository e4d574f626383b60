#include "flopcast/python/builtin.hpp"

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/run_context.hpp"

namespace flopcast::python {

namespace py = pybind11;

namespace {

/// A function's body with the definition that Python reads.
struct BuiltinFunction {
  PyMethodDef definition{};
  Body body;
};

constexpr const char* capsule_name = "flopcast function";

/// The exception that a signal handler of Python raised while C++ functions ran: KeyboardInterrupt, or one of the program's own. Python's
/// lock guards it. It is never destroyed, because Python may have ended before.
std::optional<py::error_already_set>& interruption() {
  static auto& raised = *std::make_unique<std::optional<py::error_already_set>>().release();
  return raised;
}

/// Sets the exception of flopcast._errors for an error. The handlers only call Python's C interface, which throws nothing.
// NOLINTNEXTLINE(bugprone-exception-escape)
void set_error_of_kind(const Error& error) noexcept {
  try {
    const py::object kind =
        while_python_lasts([&] { return py::module_::import("flopcast._errors").attr("kind_of")(static_cast<int>(error.code())); });
    PyErr_SetString(kind.ptr(), error.what());
  } catch (py::error_already_set& other) {
    other.restore();
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

PyObject* trampoline(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) noexcept {
  const auto& function = *static_cast<const BuiltinFunction*>(PyCapsule_GetPointer(self, capsule_name));
  const auto named = static_cast<std::size_t>(names == nullptr ? 0 : PyTuple_GET_SIZE(names));
  const auto positional = static_cast<std::size_t>(count);
  try {
    return while_python_lasts([&] { return function.body({{values, positional}, {values + positional, named}, names}).release().ptr(); });
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

}  // namespace

py::object make_function(const char* name, const char* doc, const py::object& module_name, Body body) {
  auto function = std::make_unique<BuiltinFunction>(BuiltinFunction{{name, nullptr, METH_FASTCALL | METH_KEYWORDS, doc}, std::move(body)});
  function->definition.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&trampoline));
  PyObject* const capsule = PyCapsule_New(
      function.get(), capsule_name, [](PyObject* self) { delete static_cast<BuiltinFunction*>(PyCapsule_GetPointer(self, capsule_name)); });
  if (capsule == nullptr) {
    throw py::error_already_set();
  }
  BuiltinFunction* const owned = function.release();
  const auto self = py::reinterpret_steal<py::object>(capsule);
  PyObject* const made = PyCFunction_NewEx(&owned->definition, self.ptr(), module_name.ptr());
  if (made == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(made);
}

py::object call(const py::object& function, const Arguments& arguments) {
  PyObject* const result = while_python_lasts(
      [&] { return PyObject_Vectorcall(function.ptr(), arguments.positional.data(), arguments.positional.size(), arguments.names); });
  if (result == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(result);
}

std::complex<double> number_argument(PyObject* name, PyObject* value) {
  const Py_complex number = while_python_lasts([value] { return PyComplex_AsCComplex(value); });
  if (number.real == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%U: %R given, expected a number", name, value);
    throw py::error_already_set();
  }
  return {number.real, number.imag};
}

bool is_interrupted() {
  const WithPythonLock python;
  if (PyErr_CheckSignals() != 0) {
    interruption().emplace();  // takes Python's exception
  }
  return interruption().has_value();
}

void set_python_error() noexcept {
  try {
    if (interruption()) {
      interruption()->restore();
      interruption().reset();
      return;
    }
    throw;
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (py::builtin_exception& error) {
    error.set_error();
  } catch (const Error& error) {
    set_error_of_kind(error);
  } catch (const Cancelled&) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown exception");
  }
}

}  // namespace flopcast::python
