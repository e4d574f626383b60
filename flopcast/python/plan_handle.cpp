#include "flopcast/python/plan_handle.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::python {

namespace py = pybind11;

namespace {

/// A precision by the letter of BLAS, with NumPy's number of the type.
struct NamedPrecision {
  std::string_view name;
  Precision precision;
  int type;
};
using Api = py::detail::npy_api;
constexpr std::array<NamedPrecision, 4> precisions = {{{"s", Precision::s, Api::NPY_FLOAT_},
                                                       {"d", Precision::d, Api::NPY_DOUBLE_},
                                                       {"c", Precision::c, Api::NPY_CFLOAT_},
                                                       {"z", Precision::z, Api::NPY_CDOUBLE_}}};

const NamedPrecision& precision_named(const std::string& name) {
  const auto* const found = std::find_if(precisions.begin(), precisions.end(), [&](const auto& known) { return known.name == name; });
  if (found == precisions.end()) {
    throw bad_input("precision of a plan: '{}' given, expected s, d, c or z", name);
  }
  return *found;
}

contract::Effort effort_named(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, contract::Effort>, 4> efforts = {{{"estimate", contract::Effort::estimate},
                                                                                     {"microbench", contract::Effort::microbench},
                                                                                     {"measure", contract::Effort::measure},
                                                                                     {"incremental", contract::Effort::incremental}}};
  const auto* const found = std::find_if(efforts.begin(), efforts.end(), [&](const auto& known) { return known.first == name; });
  if (found == efforts.end()) {
    throw bad_input("effort of a plan: '{}' given, expected estimate, microbench, measure or incremental", name);
  }
  return found->second;
}

}  // namespace

contract::Executor executor_named(const std::string& name) {
  if (name != "numpy" && name != "flopcast") {
    throw bad_input("executor of a path: '{}' given, expected numpy or flopcast", name);
  }
  return name == "numpy" ? contract::Executor::numpy : contract::Executor::planner;
}

namespace {

std::vector<std::int64_t> signature_of(const NamedPrecision& precision, const std::vector<std::int64_t>& shape,
                                       const std::vector<std::int64_t>& strides) {
  std::vector<py::ssize_t> sizes(shape.begin(), shape.end()), bytes;
  std::transform(strides.begin(), strides.end(), std::back_inserter(bytes),
                 [&](std::int64_t stride) { return stride * element_bytes(precision.precision); });
  Signature signature;
  if (!signature.add(precision.type, true, sizes, bytes)) {
    throw bad_input("an array of a plan has {} axes, which are too many", shape.size());
  }
  return {signature.numbers().begin(), signature.numbers().end()};
}

bool has_signature(PyObject* array, const std::vector<std::int64_t>& expected) {
  Signature own;
  return is_array(array) && own.add(array) && std::ranges::equal(own.numbers(), expected);
}

}  // namespace

contract::ExpressionOptions options_of(const PlanWish& wish) {
  contract::ExpressionOptions options;
  options.plan.precision = precision_named(wish.precision).precision;
  options.plan.effort = effort_named(wish.effort);
  options.plan.threads = wish.threads;
  options.plan.time_budget = wish.time_budget;
  options.plan.fresh = wish.fresh;
  if (wish.max_bytes) {
    options.tree.max_bytes = *wish.max_bytes;
  }
  options.tensors = wish.tensors;
  return options;
}

contract::SizedExpression expression_of(const PlanWish& wish) {
  return contract::with_shapes(contract::parse_expression(wish.subscripts), wish.shapes);
}

PlanHandle::PlanHandle(Planner& planner, const PlanWish& wish)
    : prepared_([&] {
        const contract::SizedExpression expression = expression_of(wish);
        const contract::EinsumStrides strides = {wish.strides, wish.result_strides.value_or(std::vector<std::int64_t>())};
        const contract::ExpressionOptions options = options_of(wish);
        const auto made = [&] {
          const WithoutPythonLock others_run;
          return planner.plan(expression, strides, options);
        };
        const auto& [name, precision, type] = precision_named(wish.precision);
        return prepared(made(), expression, type, precision,
                        strides.result.empty() ? row_major_strides(expression.result_shape()) : strides.result);
      }()),
      makes_results_(!wish.result_strides) {
  const NamedPrecision& precision = precision_named(wish.precision);
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
