#pragma once

#include "tests/kernel/reference/arguments.hpp"

namespace flopcast::kernel::reference {

inline bool in_triangle(char uplo, std::int64_t i, std::int64_t j) { return uplo == 'L' ? i >= j : i <= j; }

/// Returns whether op(A) is lower triangular when A's triangle is `uplo`.
inline bool is_lower(char uplo, char trans) { return (uplo == 'L') == (trans == 'N'); }

/// Returns element (i, j) of a symmetric or Hermitian matrix of which one triangle is stored.
inline Number symmetric_element(const Matrix& A, char uplo, bool hermitian, std::int64_t i, std::int64_t j) {
  if (hermitian && i == j) {
    return static_cast<Number>(A(i, i)).real();
  }
  if (in_triangle(uplo, i, j)) {
    return A(i, j);
  }
  return hermitian ? conj(A(j, i)) : static_cast<Number>(A(j, i));
}

/// Computes x := M x with a triangular M; elements outside of a band are zero. `X` is indexed by [i].
template <class X>
void multiply(const Matrix& M, bool lower, bool unit, std::int64_t n, const X& x) {
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = lower ? n - 1 - step : step;
    Number sum = unit ? static_cast<Number>(x[i]) : M(i, i) * x[i];
    for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) {
      if (M.stored(i, j)) {
        sum = sum + M(i, j) * x[j];
      }
    }
    x[i] = sum;
  }
}

/// Computes x := M^-1 x with a triangular M.
template <class X>
void solve(const Matrix& M, bool lower, bool unit, std::int64_t n, const X& x) {
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t i = lower ? step : n - 1 - step;
    Number sum = x[i];
    for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : n); ++j) {
      if (M.stored(i, j)) {
        sum = sum - M(i, j) * x[j];
      }
    }
    x[i] = unit ? sum : sum / M(i, i);
  }
}

/// A column of a matrix, indexed like a vector.
struct Column {
  Matrix matrix;
  std::int64_t j = 0;
  Element operator[](std::int64_t i) const { return matrix(i, j); }
};

}  // namespace flopcast::kernel::reference
