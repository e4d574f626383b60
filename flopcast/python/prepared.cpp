#include "flopcast/python/prepared.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/python/array_view.hpp"
#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::python {

namespace py = pybind11;

std::vector<std::vector<std::int64_t>> shapes_of(std::span<PyObject* const> arrays) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (PyObject* array : arrays) {
    const auto shape = ArrayView(array).shape();
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

std::optional<std::vector<std::int64_t>> strides_in_elements(PyObject* array, Precision precision) {
  std::vector<std::int64_t> strides;
  for (const auto stride : ArrayView(array).strides()) {
    if (stride % element_bytes(precision) != 0) {
      return std::nullopt;
    }
    strides.push_back(stride / element_bytes(precision));
  }
  return strides;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape, std::span<const std::size_t> axes) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (const std::size_t axis : axes) {
    strides[axis] = stride;
    stride *= std::max<std::int64_t>(shape[axis], 1);
  }
  return strides;
}

std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return dense_strides(shape, axes);
}

bool overlaps_itself(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, std::int64_t element_bytes) {
  std::vector<contract::Axis> axes = {{1, element_bytes}};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) {
      return false;
    }
    axes.push_back({strides[axis], shape[axis]});
  }
  return contract::may_share_addresses(axes);
}

namespace {

/// Returns the bytes of the planner's tables of offsets, roughly: a table has an entry per value of all indices of one role, which are in the
/// same tensors.
double bytes_of_tables(const contract::SizedExpression& expression) {
  std::map<std::vector<bool>, double> entries;  // by whether each operand and the result have the indices
  for (const auto& [label, extent] : expression.extents) {
    const auto has = [wanted = label](const contract::Subscripts& subscripts) {
      return std::find(subscripts.labels.begin(), subscripts.labels.end(), wanted) != subscripts.labels.end();
    };
    std::vector<bool> role;
    std::transform(expression.operands.begin(), expression.operands.end(), std::back_inserter(role), has);
    role.push_back(has(expression.result));
    entries.try_emplace(role, 1).first->second *= static_cast<double>(extent);
  }
  double bytes = 0;
  for (const auto& [role, count] : entries) {
    bytes += static_cast<double>(sizeof(std::int64_t)) * count;
  }
  return bytes;
}

}  // namespace

PreparedExpression prepared(c::OwnedPlan plan, const contract::SizedExpression& expression, int type, Precision precision,
                            const std::vector<std::int64_t>& result_strides) {
  constexpr Seconds long_enough = 2e-5;  // handing over to another thread takes some microseconds
  const std::vector<std::int64_t> shape = expression.result_shape();
  std::vector<py::ssize_t> strides;
  std::transform(result_strides.begin(), result_strides.end(), std::back_inserter(strides),
                 [&](std::int64_t stride) { return stride * element_bytes(precision); });
  const bool takes_long = plan.seconds() > long_enough;
  const double kept_bytes = static_cast<double>(plan.details().workspace_bytes()) + bytes_of_tables(expression);
  NewResult result = {type, {shape.begin(), shape.end()}, std::move(strides)};
  return {std::move(plan), contract::to_string(expression.expression), precision, std::move(result), takes_long, kept_bytes};
}

py::object new_array(const NewResult& result) {
  const auto& api = py::detail::npy_api::get();
  PyObject* const type = api.PyArray_DescrFromType_(result.type);  // the new array takes this reference
  PyObject* const made = api.PyArray_NewFromDescr_(api.PyArray_Type_, type, static_cast<int>(result.shape.size()), result.shape.data(),
                                                   result.strides.data(), nullptr, 0, nullptr);
  if (made == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(made);
}

py::object execute(const PreparedExpression& prepared, std::span<PyObject* const> operands, PyObject* out, std::complex<double> alpha,
                   std::complex<double> beta, bool keeps_arrays) {
  constexpr std::size_t few = 8;
  std::array<const void*, few> some{};
  std::vector<const void*> many(operands.size() > few ? operands.size() : 0);
  const std::span<const void*> addresses = many.empty() ? std::span(some).first(operands.size()) : std::span(many);
  std::transform(operands.begin(), operands.end(), addresses.begin(), [](PyObject* array) { return ArrayView(array).data(); });
  py::object result = out != nullptr ? py::reinterpret_borrow<py::object>(out) : new_array(prepared.result);
  void* const data = ArrayView(result.ptr()).data();
  if (!is_complex(prepared.precision) && (alpha.imag() != 0 || beta.imag() != 0)) {
    throw bad_input("expression '{}' of real numbers can't be scaled by a complex alpha or beta", prepared.expression);
  }
  const bool is_single = prepared.precision == Precision::s || prepared.precision == Precision::c;
  const std::complex<float> single_alpha(alpha), single_beta(beta);
  const auto address = [is_single](const auto& single, const auto& number) {
    return is_single ? static_cast<const void*>(&single) : &number;
  };
  const auto run = [&] { prepared.plan.execute(address(single_alpha, alpha), addresses, address(single_beta, beta), data, data); };
  if (prepared.takes_long) {
    const WithoutPythonLock others_run;
    run();
  } else {
    run();
  }
  if (out == nullptr && !keeps_arrays && prepared.result.shape.empty()) {
    return result[py::tuple()];  // as NumPy's einsum does
  }
  return result;
}

}  // namespace flopcast::python
