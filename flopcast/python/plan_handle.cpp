#include "flopcast/python/plan_handle.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast::python {

namespace py = pybind11;

namespace {

/// Returns NumPy's number of a type.
int type_of(Precision precision) {
  using Api = py::detail::npy_api;
  switch (precision) {
    case Precision::s: return Api::NPY_FLOAT_;
    case Precision::c: return Api::NPY_CFLOAT_;
    case Precision::z: return Api::NPY_CDOUBLE_;
    default: return Api::NPY_DOUBLE_;
  }
}

}  // namespace

void set_option(PlanWish& wish, const std::string& name, const py::object& value) {
  const Fields& fields = fields_of<PlanRequest>();
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return one.name == name; });
  if (field == fields.end()) {
    throw py::attribute_error(name);
  }
  const bool is_text = py::isinstance<py::str>(value);
  const nlohmann::json json = is_text                            ? nlohmann::json(value.cast<std::string>())
                              : py::isinstance<py::bool_>(value) ? nlohmann::json(value.cast<bool>())
                              : PyIndex_Check(value.ptr()) != 0  ? nlohmann::json(py::int_(value).cast<std::int64_t>())
                              : value.is_none()                  ? nlohmann::json()
                                                                 : nlohmann::json(value.cast<double>());
  try {
    field->type->read(json, field->in(&wish.request));
  } catch (const nlohmann::json::exception& error) {
    SchemaMaker maker(OtherMembers::refused);
    if (const auto schema = field->type->schema(maker); is_text && schema.contains("enum")) {
      throw bad_input("{} of a plan: '{}' given, expected {}", name, json.get<std::string>(),
                      fmt::join(schema["enum"].get<std::vector<std::string>>(), ", "));
    }
    throw py::type_error(reason(error));
  }
}

contract::Executor executor_named(const std::string& name) {
  if (name != "numpy" && name != "flopcast") {
    throw bad_input("executor of a path: '{}' given, expected numpy or flopcast", name);
  }
  return name == "numpy" ? contract::Executor::numpy : contract::Executor::planner;
}

namespace {

std::vector<std::int64_t> signature_of(Precision precision, const std::vector<std::int64_t>& shape,
                                       const std::vector<std::int64_t>& strides) {
  std::vector<py::ssize_t> sizes(shape.begin(), shape.end()), bytes;
  std::transform(strides.begin(), strides.end(), std::back_inserter(bytes),
                 [&](std::int64_t stride) { return stride * element_bytes(precision); });
  Signature signature;
  if (!signature.add(type_of(precision), true, sizes, bytes)) {
    throw bad_input("an array of a plan has {} axes, which are too many", shape.size());
  }
  return {signature.numbers().begin(), signature.numbers().end()};
}

bool has_signature(PyObject* array, const std::vector<std::int64_t>& expected) {
  Signature own;
  return is_array(array) && own.add(array) && std::ranges::equal(own.numbers(), expected);
}

}  // namespace

PlanHandle::PlanHandle(Planner& planner, const PlanWish& wish)
    : prepared_([&] {
        const contract::SizedExpression expression = sized_expression(wish.subscripts, wish.shapes);
        c::OwnedPlan plan = [&] {
          const WithoutPythonLock others_run;
          return planner.plan(wish, expression.result.labels.size());
        }();
        const Precision precision = wish.request.precision;
        return prepared(std::move(plan), expression, type_of(precision), precision,
                        wish.result_strides.value_or(row_major_strides(expression.result_shape())));
      }()),
      makes_results_(!wish.result_strides) {
  const Precision precision = wish.request.precision;
  for (std::size_t i = 0; i < wish.shapes.size(); ++i) {
    operands_.push_back(signature_of(precision, wish.shapes[i], wish.strides[i]));
  }
  const std::vector<std::int64_t> shape(prepared_.result.shape.begin(), prepared_.result.shape.end());
  result_ = signature_of(precision, shape, wish.result_strides.value_or(row_major_strides(shape)));
}

py::object PlanHandle::execute(const Arguments& arguments) const {
  std::complex<double> alpha = 1, beta = 0;
  PyObject* out = nullptr;
  for (std::size_t i = 0; i < arguments.named.size(); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(arguments.names, static_cast<Py_ssize_t>(i));
    PyObject* const value = arguments.named[i];
    if (PyUnicode_CompareWithASCIIString(name, "out") == 0) {
      out = value == Py_None ? nullptr : value;
    } else {
      (PyUnicode_CompareWithASCIIString(name, "alpha") == 0 ? alpha : beta) = number_argument(name, value);
    }
  }
  bool fits = arguments.positional.size() == operands_.size() &&
              (out != nullptr ? has_signature(out, result_) && ArrayView(out).is_writable() : makes_results_ && beta == 0.0);
  for (std::size_t i = 0; i < operands_.size() && fits; ++i) {
    fits = has_signature(arguments.positional[i], operands_[i]);
  }
  return fits ? python::execute(prepared_, arguments.positional, out, alpha, beta) : py::reinterpret_borrow<py::object>(Py_NotImplemented);
}

}  // namespace flopcast::python
