#pragma once

#include <pybind11/pybind11.h>

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/c/plan.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/core/routine.hpp"

namespace flopcast::python {

/// The description of an array that is made for a result.
struct NewResult {
  int type = 0;  ///< NumPy's number of the elements' type
  std::vector<pybind11::ssize_t> shape;
  std::vector<pybind11::ssize_t> strides;  ///< in bytes
};
/// Returns a new array with elements of any values.
pybind11::object new_array(const NewResult& result);

/// A planned expression, with all that a call has to know besides.
struct PreparedExpression {
  c::OwnedPlan plan;
  std::string expression;  ///< in messages
  Precision precision = Precision::d;
  NewResult result;         ///< a result that is made
  bool takes_long = false;  ///< other Python threads run during the execution
  double kept_bytes = 0;    ///< memory that the plan keeps between executions, at most
};

/// Returns shapes of arrays as the planner has them.
std::vector<std::vector<std::int64_t>> shapes_of(std::span<PyObject* const> arrays);

/// Returns an array's strides in elements, nothing if they are no multiples of an element.
std::optional<std::vector<std::int64_t>> strides_in_elements(PyObject* array, Precision precision);

/// Returns the strides of a dense array in elements. `axes` are the axes from the innermost one outwards.
std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape, std::span<const std::size_t> axes);
/// Returns the strides of a dense array in row-major order, in elements.
std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape);

/// Returns whether two elements of an array share bytes. `strides` and `element_bytes` are in bytes.
bool overlaps_itself(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::int64_t element_bytes);

/// Prepares a planned expression. New results have these strides, in elements.
PreparedExpression prepared(c::OwnedPlan plan, const contract::SizedExpression& expression, int type, Precision precision,
                            const std::vector<std::int64_t>& result_strides);

/// Computes result := alpha * expression + beta * result. Without `out`, the result is a new array. If it has no axes, it is NumPy's scalar,
/// unless `keeps_arrays`. Returns a new reference. Throws what flopcast_execute() caught, bad_input for real numbers that would be
/// scaled by complex ones, and pybind11's exceptions.
pybind11::object execute(const PreparedExpression& prepared, std::span<PyObject* const> operands, PyObject* out,
                         std::complex<double> alpha = 1.0, std::complex<double> beta = 0.0, bool keeps_arrays = false);

}  // namespace flopcast::python
