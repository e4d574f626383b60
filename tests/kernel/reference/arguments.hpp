#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "tests/kernel/reference/number.hpp"

namespace flopcast::kernel::reference {

/// The elements of one operand, copied from memory, with marks on the elements that were read or written.
struct Array {
  std::vector<std::complex<double>> values;
  std::vector<bool> read, written, read_before_written;

  [[nodiscard]] bool touched(std::size_t i) const { return read[i] || written[i]; }
  Number load(std::int64_t i);
  void store(std::int64_t i, Number value);
};

/// An element of an operand, or its conjugate.
class Element {
 public:
  Element(Array* array, std::int64_t index, bool conjugated) : array_(array), index_(index), conjugated_(conjugated) {}
  operator Number() const {  // NOLINT(google-explicit-constructor)
    const Number value = array_->load(index_);
    return conjugated_ ? conj(value) : value;
  }
  Element& operator=(Number value) {
    array_->store(index_, conjugated_ ? conj(value) : value);
    return *this;
  }
  Element& operator=(const Element& other) { return *this = static_cast<Number>(other); }
  Element(const Element&) = default;
  ~Element() = default;
  void operator+=(Number value) { *this = static_cast<Number>(*this) + value; }
  void operator-=(Number value) { *this = static_cast<Number>(*this) - value; }
  void operator*=(Number value) { *this = static_cast<Number>(*this) * value; }

 private:
  Array* array_;
  std::int64_t index_;
  bool conjugated_;
};

/// Makes an element of the diagonal of a Hermitian matrix real, as updates of such a matrix do.
inline void make_real(Element diagonal, bool hermitian) {
  if (hermitian) {
    diagonal = static_cast<Number>(diagonal).real();
  }
}

/// A matrix in textbook notation, independent of its storage; also a view of its transpose, adjoint, reversal and sub-matrices.
class Matrix {
 public:
  enum class Layout { full, packed_lower, packed_upper, band };

  Matrix(Array* array, Layout layout, std::int64_t order, std::int64_t ld, std::int64_t lower, std::int64_t upper)
      : array_(array), layout_(layout), order_(order), ld_(ld), lower_(lower), upper_(upper) {}

  Element operator()(std::int64_t i, std::int64_t j) const { return {array_, index(i, j), conjugated_}; }
  /// Returns whether the storage has the element; only a band lacks some.
  [[nodiscard]] bool stored(std::int64_t i, std::int64_t j) const;

  [[nodiscard]] Matrix transposed() const;
  [[nodiscard]] Matrix adjoint() const;
  /// Returns the matrix itself, its transpose or its adjoint, for N, T or C.
  [[nodiscard]] Matrix op(char trans) const;
  [[nodiscard]] Matrix from(std::int64_t i, std::int64_t j) const;
  /// Returns the matrix with element (rows-1-i, columns-1-j) in place of (i, j).
  [[nodiscard]] Matrix reversed(std::int64_t rows, std::int64_t columns) const;

 private:
  [[nodiscard]] std::int64_t index(std::int64_t i, std::int64_t j) const;

  Array* array_;
  Layout layout_;
  std::int64_t order_, ld_, lower_, upper_;
  bool swapped_ = false, conjugated_ = false;
  // Row and column of the storage are first + step * (row or column of this view).
  std::int64_t first_row_ = 0, first_column_ = 0, step_ = 1;
};

/// A vector with its increment; element 0 is the first in BLAS's order.
class Vector {
 public:
  Vector(Array* array, std::int64_t first, std::int64_t step) : array_(array), first_(first), step_(step) {}
  Element operator[](std::int64_t i) const { return {array_, first_ + i * step_, false}; }
  /// Returns the vector without its first i elements.
  [[nodiscard]] Vector from(std::int64_t i) const { return {array_, first_ + i * step_, step_}; }
  [[nodiscard]] Vector reversed(std::int64_t n) const { return {array_, first_ + (n - 1) * step_, -step_}; }

 private:
  Array* array_;
  std::int64_t first_, step_;
};

/// The arguments of a call by name, with operands copied from the addresses in the call.
class Arguments {
 public:
  explicit Arguments(const Call& call);

  [[nodiscard]] const Call& call() const { return call_; }
  [[nodiscard]] bool complex() const { return is_complex(call_.routine->precision); }
  [[nodiscard]] char flag(std::string_view name) const { return call_.flag(at(name)); }
  [[nodiscard]] std::int64_t size(std::string_view name) const { return call_.arguments[at(name)]; }
  [[nodiscard]] Number scalar(std::string_view name) const;
  [[nodiscard]] Matrix matrix(std::string_view name);
  [[nodiscard]] Vector vector(std::string_view name);
  /// Returns the only element of a scalar operand.
  [[nodiscard]] Element element(std::string_view name) { return vector(name)[0]; }

  /// Returns the operand in argument i, with its marks.
  [[nodiscard]] const Array& array(std::size_t i) const { return arrays_.at(i); }

  Number result;  ///< result of a function

 private:
  [[nodiscard]] std::size_t at(std::string_view name) const;

  Call call_;
  std::map<std::size_t, Array> arrays_;
};

/// Returns element i of argument `argument` of a call, read from memory.
std::complex<double> element_in_memory(const Call& call, std::size_t argument, std::size_t i);

}  // namespace flopcast::kernel::reference
