#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace flopcast::kernel::reference {

using Complex = std::complex<double>;

/// A column-major matrix that owns its memory.
struct Dense {
  std::int64_t rows, columns;
  std::vector<Complex> values;
  Dense(std::int64_t m, std::int64_t n) : rows(m), columns(n), values(static_cast<std::size_t>(m * n)) {}
  Complex& operator()(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i + j * rows)]; }
  Complex operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i + j * rows)]; }
};

/// Returns the m x n matrix of element(i, j).
template <class Element>
Dense dense(std::int64_t m, std::int64_t n, Element element) {
  Dense result(m, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      result(i, j) = element(i, j);
    }
  }
  return result;
}

inline Dense identity(std::int64_t n) {
  return dense(n, n, [](std::int64_t i, std::int64_t j) { return i == j ? 1.0 : 0.0; });
}

inline Dense product(const Dense& a, const Dense& b) {
  return dense(a.rows, b.columns, [&](std::int64_t i, std::int64_t j) {
    Complex sum = 0;
    for (std::int64_t l = 0; l < a.columns; ++l) {
      sum += a(i, l) * b(l, j);
    }
    return sum;
  });
}

inline Dense transposed(const Dense& a, bool conjugated) {
  return dense(a.columns, a.rows, [&](std::int64_t i, std::int64_t j) { return conjugated ? std::conj(a(j, i)) : a(j, i); });
}

inline Dense adjoint(const Dense& a) { return transposed(a, true); }

}  // namespace flopcast::kernel::reference
