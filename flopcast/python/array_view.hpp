#pragma once

#include <pybind11/numpy.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "flopcast/core/routine.hpp"

namespace flopcast::python {

/// A NumPy array. The view holds no reference to the array.
class ArrayView {
 public:
  explicit ArrayView(PyObject* array) : array_(pybind11::detail::array_proxy(array)) {}

  [[nodiscard]] void* data() const { return array_->data; }
  [[nodiscard]] std::span<const pybind11::ssize_t> shape() const { return {array_->dimensions, static_cast<std::size_t>(array_->nd)}; }
  /// Returns the strides in bytes.
  [[nodiscard]] std::span<const pybind11::ssize_t> strides() const { return {array_->strides, static_cast<std::size_t>(array_->nd)}; }
  /// Returns NumPy's number of the type of the elements.
  [[nodiscard]] int type() const { return descriptor()->type_num; }
  /// Returns whether elements are aligned and have the byte order of this machine.
  [[nodiscard]] bool is_native() const {
    return (array_->flags & pybind11::detail::npy_api::NPY_ARRAY_ALIGNED_) != 0 && descriptor()->byteorder != '>';
  }
  [[nodiscard]] bool is_writable() const { return (array_->flags & pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_) != 0; }

 private:
  [[nodiscard]] const pybind11::detail::PyArrayDescr_Proxy* descriptor() const {
    return pybind11::detail::array_descriptor_proxy(array_->descr);
  }

  const pybind11::detail::PyArray_Proxy* array_;
};

/// Returns whether the object is exactly a NumPy array, not of a class derived from it.
inline bool is_array(PyObject* object) { return Py_TYPE(object) == pybind11::detail::npy_api::get().PyArray_Type_; }

/// Returns the precision that NumPy's number of a type stands for; nothing for types that aren't planned.
inline std::optional<Precision> precision_of(int type) {
  using Api = pybind11::detail::npy_api;
  switch (type) {
    case Api::NPY_FLOAT_: return Precision::s;
    case Api::NPY_DOUBLE_: return Precision::d;
    case Api::NPY_CFLOAT_: return Precision::c;
    case Api::NPY_CDOUBLE_: return Precision::z;
    default: return std::nullopt;
  }
}

/// The bytes between the lowest and the highest element of an array.
struct MemoryBounds {
  std::uintptr_t first = 0, last = 0;  ///< addresses; `last` is behind the last byte
};

/// Returns the memory that the elements of an array span, `element_bytes` bytes each. An array without elements spans nothing.
inline MemoryBounds bounds_of(PyObject* array, std::int64_t element_bytes) {
  const ArrayView view(array);
  const auto data = reinterpret_cast<std::uintptr_t>(view.data());
  std::int64_t low = 0, high = element_bytes;
  for (std::size_t axis = 0; axis < view.shape().size(); ++axis) {
    if (view.shape()[axis] == 0) {
      return {data, data};
    }
    const std::int64_t reach = (view.shape()[axis] - 1) * view.strides()[axis];
    (reach < 0 ? low : high) += reach;
  }
  return {data + static_cast<std::uintptr_t>(low), data + static_cast<std::uintptr_t>(high)};
}

/// Types, shapes and strides of arrays as numbers. Calls with equal signatures can use one plan.
///
/// A signature is large, so that it isn't copied.
class Signature {
 public:
  Signature() noexcept {}  // NOLINT(modernize-use-equals-default): the numbers stay without values, since every call makes a signature

  Signature(const Signature&) = delete;
  Signature& operator=(const Signature&) = delete;
  ~Signature() = default;

  /// Adds an array. Returns false if there is no room for its shape.
  bool add(PyObject* array) {
    const ArrayView view(array);
    return add(view.type(), view.is_native(), view.shape(), view.strides());
  }
  /// Adds an array by its type, shape, and strides in bytes.
  bool add(int type, bool is_native, std::span<const pybind11::ssize_t> shape, std::span<const pybind11::ssize_t> strides) {
    if (arrays_ == max_arrays || size_ + 1 + 2 * shape.size() > max_numbers) {
      return false;
    }
    ++arrays_;
    constexpr std::int64_t native = 256, per_rank = 1024;
    put(type + (is_native ? native : 0) + per_rank * static_cast<std::int64_t>(shape.size()));
    for (const auto size : shape) {
      put(size);
    }
    for (const auto stride : strides) {
      put(stride);
    }
    return true;
  }
  /// Adds a number that plans depend on, too. There is room for one per array, and one more.
  void put(std::int64_t number) {
    numbers_[size_++] = number;
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio: multiplicative hashing (Knuth, volume 3, section 6.4)
    constexpr int high = 29;
    hash_ = (hash_ ^ static_cast<std::uint64_t>(number)) * odd;
    hash_ ^= hash_ >> high;
  }
  [[nodiscard]] std::span<const std::int64_t> numbers() const { return {numbers_.data(), size_}; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  static constexpr std::size_t max_numbers = 8000, max_arrays = 1000;
  std::array<std::int64_t, max_numbers + max_arrays + 1> numbers_;
  std::size_t size_ = 0, arrays_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace flopcast::python
