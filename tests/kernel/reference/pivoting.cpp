#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/reflector.hpp"

namespace flopcast::kernel::reference {
namespace {

/// Exchanges column k with the later column of the largest norm, in all rows of A, with their norms and jpvt; `factor`: also in rows of F.
void exchange(Arguments& a, std::int64_t k, bool factor) {
  const Vector vn1 = a.vector("vn1"), vn2 = a.vector("vn2"), jpvt = a.vector("jpvt");
  const auto norm = [&](std::int64_t j) { return static_cast<Number>(vn1[j]).real(); };
  std::int64_t largest = k;
  for (std::int64_t j = k + 1; j < a.size("n"); ++j) {
    largest = norm(j) > norm(largest) ? j : largest;
  }
  if (largest == k) {
    return;
  }
  const auto swap = [](Element x, Element y) {
    const Number first = x;
    x = y;
    y = first;
  };
  for (std::int64_t i = 0; i < a.size("m"); ++i) {
    swap(a.matrix("A")(i, k), a.matrix("A")(i, largest));
  }
  for (std::int64_t l = 0; l < k && factor; ++l) {
    swap(a.matrix("F")(k, l), a.matrix("F")(largest, l));
  }
  swap(jpvt[k], jpvt[largest]);
  vn1[largest] = static_cast<Number>(vn1[k]);
  vn2[largest] = static_cast<Number>(vn2[k]);
}

/// Reduces the norms of columns first ... n-1 by their elements in a row.
void reduce_norms(Arguments& a, const Matrix& row, std::int64_t first) {
  for (std::int64_t j = first; j < a.size("n"); ++j) {
    const double norm = static_cast<Number>(a.vector("vn1")[j]).real();
    const double share = std::abs(static_cast<Number>(row(0, j)).value()) / norm;
    a.vector("vn2")[j] = static_cast<Number>(a.vector("vn2")[j]);
    a.vector("vn1")[j] = std::complex<double>(norm * std::sqrt((1 + share) * (1 - share)));
    tally().multiplications += 7;
    tally().additions += 2;
  }
}

/// Computes the reflector of column k below row k of B and leaves a 1 above it; returns the element that belongs there.
Number make_reflector(Arguments& a, const Matrix& B, std::int64_t rows, std::int64_t k) {
  a.vector("tau")[k] = reflector(rows - k, B(k, k), Column{B.from(k + 1, k)}, a.complex());
  const Number beta = B(k, k);
  B(k, k) = 1.0;
  return beta;
}

/// Computes F(:, k) = tau (A^H v - F A_before^H v), zero above column k+1, where A_before has the earlier reflectors.
void extend_factor(Arguments& a, const Matrix& B, std::int64_t rows, std::int64_t k) {
  const std::int64_t n = a.size("n");
  const Matrix F = a.matrix("F");
  const Number tau = a.vector("tau")[k];
  const auto product = [&](std::int64_t j) {
    Number sum = 0.0;
    for (std::int64_t i = k; i < rows; ++i) {
      sum = sum + conj(B(i, j)) * B(i, k);
    }
    return scaled(tau, sum);
  };
  for (std::int64_t j = 0; j < n; ++j) {
    F(j, k) = j <= k ? Number(0.0) : product(j);
  }
  for (std::int64_t l = 0; l < k; ++l) {
    const Number before = product(l);
    for (std::int64_t j = 0; j < n; ++j) {
      F(j, k) -= F(j, l) * before;
    }
  }
}

}  // namespace

/// The norms are so large that none has to be recomputed, which would end the panel.
void laqps(Arguments& a) {
  const std::int64_t n = a.size("n"), nb = a.size("nb"), rows = a.size("m") - a.size("offset");
  const Matrix B = a.matrix("A").from(a.size("offset"), 0), F = a.matrix("F");
  const auto update = [&](std::int64_t i, std::int64_t j, std::int64_t count) {
    for (std::int64_t l = 0; l < count; ++l) {
      B(i, j) -= B(i, l) * conj(F(j, l));
    }
  };
  for (std::int64_t k = 0; k < nb; ++k) {
    exchange(a, k, true);
    for (std::int64_t i = k; i < rows; ++i) {
      update(i, k, k);
    }
    const Number beta = make_reflector(a, B, rows, k);
    extend_factor(a, B, rows, k);
    for (std::int64_t j = k + 1; j < n; ++j) {
      update(k, j, k + 1);
    }
    reduce_norms(a, B.from(k, 0), k + 1);
    B(k, k) = beta;
  }
  for (std::int64_t j = nb; j < n; ++j) {
    for (std::int64_t i = nb; i < rows; ++i) {
      update(i, j, nb);
    }
  }
  a.element("kb") = static_cast<double>(nb);
}

/// The norms are as in laqps.
void laqp2(Arguments& a) {
  const std::int64_t n = a.size("n"), rows = a.size("m") - a.size("offset");
  const Matrix B = a.matrix("A").from(a.size("offset"), 0);
  for (std::int64_t k = 0; k < std::min(rows, n); ++k) {
    exchange(a, k, false);
    const Number beta = make_reflector(a, B, rows, k);
    const Number tau = a.vector("tau")[k];
    apply_left(B.from(k, k + 1), rows - k, n - k - 1, ReflectorVector{B.from(k + 1, k)}, conj(tau));
    B(k, k) = beta;
    reduce_norms(a, B.from(k, 0), k + 1);
  }
}

}  // namespace flopcast::kernel::reference
