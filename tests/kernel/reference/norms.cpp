#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/kernel/reference/families.hpp"

namespace flopcast::kernel::reference {
namespace {

/// Returns |x| and counts its operations.
double magnitude(const Arguments& a, Number x) {
  if (a.complex()) {
    count_real(3, 1);
  }
  return std::abs(x.value());
}

/// Counts operations on real numbers in the routine's arithmetic.
void count(const Arguments& a, double multiplications, double additions) {
  if (a.complex()) {
    count_real(multiplications, additions);
  } else {
    tally().multiplications += multiplications;
    tally().additions += additions;
  }
}

double frobenius_norm(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  double sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      sum += std::norm(static_cast<Number>(a.matrix("A")(i, j)).value());
    }
  }
  const double reals = static_cast<double>(m * n) * (a.complex() ? 2 : 1);
  count(a, reals + 1, reals - 1);
  return std::sqrt(sum);
}

}  // namespace

void lange(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  const char norm = a.flag("norm");
  if (m == 0 || n == 0) {
    a.result = 0.0;
    return;
  }
  if (norm == 'F' || norm == 'E') {
    a.result = frobenius_norm(a);
    return;
  }
  std::vector<double> sums(static_cast<std::size_t>(norm == 'I' ? m : n));
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const double value = magnitude(a, a.matrix("A")(i, j));
      sums[static_cast<std::size_t>(norm == 'I' ? i : j)] += value;
      largest = std::max(largest, value);
    }
  }
  if (norm != 'M') {
    count(a, 0, static_cast<double>(m * n) - static_cast<double>(sums.size()));
  }
  a.result = norm == 'M' ? largest : *std::max_element(sums.begin(), sums.end());
}

/// Serves factors of any kind: the estimate depends on the data, all of which are read.
void gecon(Arguments& a) {
  const std::int64_t n = a.size("n");
  const std::string& family = a.call().routine->family;
  const Matrix A = a.matrix("A");
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      const bool stored = family == "gecon" || (a.flag("uplo") == 'L' ? i >= j : i <= j);
      if (stored && !(i == j && family == "trcon" && a.flag("diag") == 'U')) {
        largest = std::max(largest, std::abs(static_cast<Number>(A(i, j)).value()));
      }
    }
  }
  a.element("rcond") = 1 / (1 + largest);
}

/// Serves a matrix without isolated eigenvalues whose rows and columns have equal norms; the matrix isn't changed.
void gebal(Arguments& a) {
  const std::int64_t n = a.size("n");
  a.element("ilo") = 1.0;
  a.element("ihi") = static_cast<double>(n);
  for (std::int64_t j = 0; j < n; ++j) {
    a.vector("scale")[j] = 1.0;
    for (std::int64_t i = 0; i < n; ++i) {
      a.matrix("A")(i, j) *= 1.0;
    }
  }
}

/// QR with column pivoting for a matrix that needs no exchanges.
void geqp3(Arguments& a) {
  geqr2(a);
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    a.vector("jpvt")[j] = static_cast<double>(j + 1);
  }
}

}  // namespace flopcast::kernel::reference
