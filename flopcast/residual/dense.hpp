#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Matrices in an arithmetic that is wider than that of the routine under test.
namespace flopcast::residual {

/// A matrix, column after column.
template <class T>
class Dense {
 public:
  Dense() = default;
  Dense(std::int64_t rows, std::int64_t columns)
      : rows_(std::max<std::int64_t>(rows, 0)),
        columns_(std::max<std::int64_t>(columns, 0)),
        values_(static_cast<std::size_t>(rows_ * columns_)) {}
  /// Makes element (i, j) equal to value(i, j).
  template <class Value>
  Dense(std::int64_t rows, std::int64_t columns, Value value) : Dense(rows, columns) {
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        (*this)(i, j) = value(i, j);
      }
    }
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  T& operator()(std::int64_t i, std::int64_t j) { return values_[static_cast<std::size_t>(i + j * rows_)]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * rows_)]; }
  [[nodiscard]] bool contains(std::int64_t i, std::int64_t j) const { return i >= 0 && i < rows_ && j >= 0 && j < columns_; }

 private:
  std::int64_t rows_ = 0, columns_ = 0;
  std::vector<T> values_;
};

template <class T>
T conjugate(const T& value) {
  return value;
}
template <class Real>
std::complex<Real> conjugate(const std::complex<Real>& value) {
  return std::conj(value);
}

template <class T>
Dense<T> unit_matrix(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, [](std::int64_t i, std::int64_t j) { return T(i == j ? 1 : 0); }};
}
template <class T>
Dense<T> block(const Dense<T>& a, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns) {
  return {rows, columns, [&](std::int64_t i, std::int64_t j) { return a.contains(row + i, column + j) ? a(row + i, column + j) : T(0); }};
}
template <class T>
Dense<T> transposed(const Dense<T>& a) {
  return {a.columns(), a.rows(), [&](std::int64_t i, std::int64_t j) { return a(j, i); }};
}
template <class T>
Dense<T> adjoint(const Dense<T>& a) {
  return {a.columns(), a.rows(), [&](std::int64_t i, std::int64_t j) { return conjugate(a(j, i)); }};
}
/// Returns the matrix itself, its transpose or its adjoint, for N, T or C.
template <class T>
Dense<T> op(const Dense<T>& a, char trans) {
  return trans == 'N' ? a : trans == 'T' ? transposed(a) : adjoint(a);
}
/// Returns the matrix with its last row first, and with `columns_too` its last column first.
template <class T>
Dense<T> reversed(const Dense<T>& a, bool columns_too) {
  return {a.rows(), a.columns(),
          [&](std::int64_t i, std::int64_t j) { return a(a.rows() - 1 - i, columns_too ? a.columns() - 1 - j : j); }};
}
template <class T>
Dense<double> magnitudes(const Dense<T>& a) {
  return {a.rows(), a.columns(), [&](std::int64_t i, std::int64_t j) { return static_cast<double>(std::abs(a(i, j))); }};
}
/// Returns y + factor*x; y and x have one shape.
template <class T>
Dense<T> sum(const Dense<T>& y, const T& factor, const Dense<T>& x) {
  return {y.rows(), y.columns(), [&](std::int64_t i, std::int64_t j) { return y(i, j) + factor * x(i, j); }};
}

/// Adds up `count` elements of a^T b, from (i, j) down. They share the elements of `b`, because loads of wide numbers take longest.
template <std::int64_t count, class T>
void inner_products(const Dense<T>& a, const Dense<T>& b, std::int64_t i, std::int64_t j, T* result) {
  T sums[count] = {};
  for (std::int64_t l = 0; l < b.rows(); ++l) {
    const T other = b(l, j);
    for (std::int64_t s = 0; s < count; ++s) {
      sums[s] += a(l, i + s) * other;
    }
  }
  std::copy_n(sums, count, result);
}

/// Returns a^T b.
template <class T>
Dense<T> product_with_transpose(const Dense<T>& a, const Dense<T>& b) {
  constexpr std::int64_t together = 4;
  Dense<T> c(a.columns(), b.columns());
  for (std::int64_t j = 0; j < c.columns(); ++j) {
    std::int64_t i = 0;
    for (; i + together <= c.rows(); i += together) {
      inner_products<together>(a, b, i, j, &c(i, j));
    }
    for (; i < c.rows(); ++i) {
      inner_products<1>(a, b, i, j, &c(i, j));
    }
  }
  return c;
}

template <class T>
Dense<T> product(const Dense<T>& a, const Dense<T>& b) {
  return product_with_transpose(transposed(a), b);
}

/// A product of block reflectors Q = (I - V1 T1 V1') (I - V2 T2 V2') ..., whose vectors are columns of V. Each block has `width` of them; its
/// T stands in the same columns of `t`. Reflectors without T are blocks of width 1 whose T is tau.
template <class T>
struct BlockReflectors {
  Dense<T> v, t;
  std::int64_t width = 1;

  /// Returns Q x, or Q' x with `is_adjoint`.
  [[nodiscard]] Dense<T> times(Dense<T> x, bool is_adjoint) const {
    const std::int64_t blocks = (v.columns() + width - 1) / width;
    for (std::int64_t step = 0; step < blocks; ++step) {
      const std::int64_t first = (is_adjoint ? step : blocks - 1 - step) * width, count = std::min(width, v.columns() - first);
      const Dense<T> vectors = block(v, 0, first, v.rows(), count), factors = block(t, 0, first, count, count);
      const Dense<T> inner = product(op(factors, is_adjoint ? 'C' : 'N'), product(adjoint(vectors), x));
      x = sum(x, T(-1), product(vectors, inner));
    }
    return x;
  }
};

/// A factor of a product: an operator on matrices, with a bound of the elements of its result.
template <class T>
struct Factor {
  /// Makes a factor of a matrix.
  Factor(const Dense<T>& matrix)  // NOLINT(google-explicit-constructor): they are one thing
      : Factor(std::make_shared<const Dense<T>>(transposed(matrix))) {}
  /// Makes a factor of Q, or of its adjoint. No element of Q x exceeds the norm of x, where Q is unitary.
  Factor(std::shared_ptr<const BlockReflectors<T>> q, bool is_adjoint)
      : columns(q->v.rows()),
        steps(q->v.rows() + q->v.columns()),
        apply([=](const Dense<T>& x) { return q->times(x, is_adjoint); }),
        bound(norms) {}

  std::int64_t columns = 0;
  std::int64_t steps = 0;  ///< roundings that an element of the result meets in the routine's own arithmetic
  std::function<Dense<T>(const Dense<T>&)> apply;
  std::function<Dense<double>(const Dense<double>&)> bound;  ///< bound for operands of these absolute values

 private:
  explicit Factor(const std::shared_ptr<const Dense<T>>& rows)
      : columns(rows->rows()),
        steps(rows->rows()),
        apply([rows](const Dense<T>& x) { return product_with_transpose(*rows, x); }),
        bound([rows](const Dense<double>& x) { return product_with_transpose(magnitudes(*rows), x); }) {}

  /// Returns a matrix whose columns consist of the norm of each column.
  static Dense<double> norms(const Dense<double>& x) {
    std::vector<double> squares(static_cast<std::size_t>(x.columns()));
    for (std::int64_t j = 0; j < x.columns(); ++j) {
      for (std::int64_t i = 0; i < x.rows(); ++i) {
        squares[static_cast<std::size_t>(j)] += x(i, j) * x(i, j);
      }
    }
    return {x.rows(), x.columns(), [&](auto, auto j) { return std::sqrt(squares[static_cast<std::size_t>(j)]); }};
  }
};

/// A sum of products that vanishes in exact arithmetic, such as op(A) X - alpha B.
template <class T>
struct Relation {
  struct Term {
    T factor;
    std::vector<Factor<T>> factors;  ///< the last is applied first
  };
  std::string text;
  std::int64_t columns = 0;  ///< columns of the sum
  std::vector<Term> terms;
  double safety = 1;      ///< factor of the bound: 1 where the bound of rounding errors holds for each element; 0: the sum vanishes exactly
  bool normwise = false;  ///< the largest bound of all elements holds for each of them, because the routine's error is bounded by norms
};

}  // namespace flopcast::residual
