#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

/// Returns A with its lower triangle stored: an upper triangle U is the adjoint of the lower triangle U^H, for which the same algorithms
/// hold.
Matrix as_lower(const Matrix& A, char uplo) { return uplo == 'L' ? A : A.adjoint(); }

/// Factors A = L L^H.
void factor_definite(const Matrix& A, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    Number pivot = static_cast<Number>(A(k, k)).real();
    for (std::int64_t j = 0; j < k; ++j) {
      pivot = pivot - A(k, j) * conj(A(k, j));
    }
    A(k, k) = sqrt(pivot);
    for (std::int64_t i = k + 1; i < n; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        A(i, k) -= A(i, j) * conj(A(k, j));
      }
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      A(i, k) = A(i, k) / A(k, k);
    }
  }
}

/// L := L^-1, last column first.
void invert_triangle(const Matrix& L, bool unit, std::int64_t n) {
  for (std::int64_t k = n - 1; k >= 0; --k) {
    Number scale = -1.0;
    if (!unit) {
      L(k, k) = Number(1.0) / L(k, k);
      scale = -L(k, k);
    }
    if (k + 1 == n) {
      continue;
    }
    multiply(L.from(k + 1, k + 1), true, unit, n - k - 1, Column{L.from(k + 1, k)});
    for (std::int64_t i = k + 1; i < n; ++i) {
      L(i, k) = unit ? -L(i, k) : scale * L(i, k);
    }
  }
}

/// Replaces L by the lower triangle of L^H L.
void triangular_product(const Matrix& L, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      Number sum = conj(L(i, i)) * L(i, j);
      for (std::int64_t k = i + 1; k < n; ++k) {
        sum = sum + conj(L(k, i)) * L(k, j);
      }
      L(i, j) = sum;
    }
  }
}

/// Computes A := L^-1 A L^-H on the lower triangle.
void reduce_by_solving(const Matrix& A, const Matrix& L, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const Number pivot = static_cast<Number>(L(k, k)).real();
    A(k, k) = Number(static_cast<Number>(A(k, k)).real()) / (pivot * pivot);
    const Number half = Number(0.5) * A(k, k);
    for (std::int64_t i = k + 1; i < n; ++i) {
      A(i, k) = A(i, k) / pivot;
      A(i, k) -= half * L(i, k);
    }
    for (std::int64_t j = k + 1; j < n; ++j) {
      for (std::int64_t i = j; i < n; ++i) {
        A(i, j) -= A(i, k) * conj(L(j, k));
        A(i, j) -= L(i, k) * conj(A(j, k));
      }
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      A(i, k) -= half * L(i, k);
    }
    if (k + 1 < n) {
      solve(L.from(k + 1, k + 1), true, false, n - k - 1, Column{A.from(k + 1, k)});
    }
  }
}

/// Computes A := L^H A L on the lower triangle, row by row: row k of A's adjoint is a column.
void reduce_by_multiplying(const Matrix& A, const Matrix& L, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    const Number pivot = static_cast<Number>(L(k, k)).real();
    const Number diagonal = static_cast<Number>(A(k, k)).real();
    const Column row{A.from(k, 0).adjoint()};
    multiply(L.adjoint(), false, false, k, row);
    const Number half = Number(0.5) * diagonal;
    for (std::int64_t j = 0; j < k; ++j) {
      A(k, j) += half * L(k, j);
    }
    for (std::int64_t j = 0; j < k; ++j) {
      for (std::int64_t i = j; i < k; ++i) {
        A(i, j) += conj(A(k, i)) * L(k, j);
        A(i, j) += conj(L(k, i)) * A(k, j);
      }
    }
    for (std::int64_t j = 0; j < k; ++j) {
      A(k, j) += half * L(k, j);
      A(k, j) *= pivot;
    }
    A(k, k) = diagonal * (pivot * pivot);
  }
}

void swap_rows(const Matrix& A, std::int64_t columns, std::int64_t i, std::int64_t p) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const Number kept = A(i, j), other = A(p, j);
    A(i, j) = other;
    A(p, j) = kept;
  }
}

std::int64_t pivot_row(const Vector& pivots, std::int64_t i) {
  return static_cast<std::int64_t>(static_cast<Number>(pivots[i]).real()) - 1;
}

}  // namespace

void potf2(Arguments& a) { factor_definite(as_lower(a.matrix("A"), a.flag("uplo")), a.size("n")); }

void potrs(Arguments& a) {
  const Matrix L = as_lower(a.matrix("A"), a.flag("uplo")), B = a.matrix("B");
  for (std::int64_t j = 0; j < a.size("nrhs"); ++j) {
    solve(L, true, false, a.size("n"), Column{B, j});
    solve(L.adjoint(), false, false, a.size("n"), Column{B, j});
  }
}

void potri(Arguments& a) {
  const Matrix L = as_lower(a.matrix("A"), a.flag("uplo"));
  invert_triangle(L, false, a.size("n"));
  triangular_product(L, a.size("n"));
}

void posv(Arguments& a) {
  potf2(a);
  potrs(a);
}

namespace {

/// Right-looking LU; the pivot is the first element of the largest |Re| + |Im|.
void factor_with_pivots(Arguments& a, std::int64_t m, std::int64_t n) {
  const Matrix A = a.matrix("A");
  const auto magnitude = [&](std::int64_t i, std::int64_t j) {
    const Number element = A(i, j);
    return std::abs(element.real()) + std::abs(element.imag());
  };
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    std::int64_t p = k;
    for (std::int64_t i = k + 1; i < m; ++i) {
      p = magnitude(i, k) > magnitude(p, k) ? i : p;
    }
    a.vector("ipiv")[k] = static_cast<double>(p + 1);
    swap_rows(A, n, k, p);
    const Number reciprocal = Number(1.0) / A(k, k);
    for (std::int64_t i = k + 1; i < m; ++i) {
      A(i, k) *= reciprocal;
      for (std::int64_t j = k + 1; j < n; ++j) {
        A(i, j) -= A(i, k) * A(k, j);
      }
    }
  }
}

}  // namespace

void getf2(Arguments& a) { factor_with_pivots(a, a.size("m"), a.size("n")); }

namespace {

/// Computes B := op(A)^-1 B with factored A; trans N, T or C.
void solve_with_pivots(Arguments& a, char trans) {
  const std::int64_t n = a.size("n"), count = a.size("nrhs");
  const Matrix A = a.matrix("A"), B = a.matrix("B"), op = A.op(trans);
  const bool plain = trans == 'N';
  for (std::int64_t i = 0; plain && i < n; ++i) {
    swap_rows(B, count, i, pivot_row(a.vector("ipiv"), i));
  }
  for (std::int64_t j = 0; j < count; ++j) {
    solve(op, true, plain, n, Column{B, j});
    solve(op, false, !plain, n, Column{B, j});
  }
  for (std::int64_t i = n - 1; !plain && i >= 0; --i) {
    swap_rows(B, count, i, pivot_row(a.vector("ipiv"), i));
  }
}

}  // namespace

void getrs(Arguments& a) { solve_with_pivots(a, a.flag("trans")); }

void trtrs(Arguments& a) {
  const Matrix op = a.matrix("A").op(a.flag("trans"));
  for (std::int64_t j = 0; j < a.size("nrhs"); ++j) {
    solve(op, is_lower(a.flag("uplo"), a.flag("trans")), a.flag("diag") == 'U', a.size("n"), Column{a.matrix("B"), j});
  }
}

void gesv(Arguments& a) {
  factor_with_pivots(a, a.size("n"), a.size("n"));
  solve_with_pivots(a, 'N');
}

/// Computes U^-1, then X with X L = U^-1 column by column from the right, then swaps columns according to the pivots.
void getri(Arguments& a) {
  const std::int64_t n = a.size("n");
  const Matrix A = a.matrix("A");
  invert_triangle(A.reversed(n, n), false, n);  // the upper triangle, reversed, is a lower triangle
  for (std::int64_t j = n - 1; j >= 0; --j) {
    std::vector<Number> column;
    for (std::int64_t i = j + 1; i < n; ++i) {
      column.push_back(A(i, j));
      A(i, j) = 0.0;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t l = j + 1; l < n; ++l) {
        A(i, j) -= A(i, l) * column[static_cast<std::size_t>(l - j - 1)];
      }
    }
  }
  for (std::int64_t j = n - 1; j >= 0; --j) {
    swap_rows(A.transposed(), n, j, pivot_row(a.vector("ipiv"), j));
  }
}

void laswp(Arguments& a) {
  const std::int64_t k1 = a.size("k1") - 1, k2 = a.size("k2") - 1;
  const Matrix A = a.matrix("A");
  const bool forward = a.size("incx") > 0;
  for (std::int64_t step = 0; step <= k2 - k1; ++step) {
    const std::int64_t i = forward ? k1 + step : k2 - step;
    swap_rows(A, a.size("n"), i, pivot_row(a.vector("ipiv"), i));
  }
}

void trti2(Arguments& a) { invert_triangle(as_lower(a.matrix("A"), a.flag("uplo")), a.flag("diag") == 'U', a.size("n")); }

void lauu2(Arguments& a) { triangular_product(as_lower(a.matrix("A"), a.flag("uplo")), a.size("n")); }

void sygs2(Arguments& a) {
  const Matrix A = as_lower(a.matrix("A"), a.flag("uplo")), L = as_lower(a.matrix("B"), a.flag("uplo"));
  (a.size("itype") == 1 ? reduce_by_solving : reduce_by_multiplying)(A, L, a.size("n"));
}

/// Solves each equation after those that it depends on: an upper triangular op(A) from its last row, an upper triangular op(B) from its
/// first column.
void trsyl(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  const bool upper_a = a.flag("trana") == 'N', upper_b = a.flag("tranb") == 'N';
  const Matrix A = a.matrix("A").op(a.flag("trana")), B = a.matrix("B").op(a.flag("tranb")), C = a.matrix("C");
  const auto sign = [&](Number value) { return a.size("isgn") > 0 ? value : -value; };
  for (std::int64_t row = 0; row < m; ++row) {
    const std::int64_t i = upper_a ? m - 1 - row : row;
    for (std::int64_t column = 0; column < n; ++column) {
      const std::int64_t j = upper_b ? column : n - 1 - column;
      for (std::int64_t l = upper_a ? i + 1 : 0; l < (upper_a ? m : i); ++l) {
        C(i, j) -= A(i, l) * C(l, j);
      }
      for (std::int64_t l = upper_b ? 0 : j + 1; l < (upper_b ? j : n); ++l) {
        C(i, j) -= C(i, l) * sign(B(l, j));
      }
      C(i, j) = C(i, j) / (A(i, i) + sign(B(j, j)));
    }
  }
  a.element("scale") = 1.0;
}

namespace {

template <class Visitor>
void for_each_in_trapezoid(Arguments& a, Visitor visit) {
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    for (std::int64_t i = 0; i < a.size("m"); ++i) {
      if (a.flag("uplo") == 'A' || in_triangle(a.flag("uplo"), i, j)) {
        visit(i, j);
      }
    }
  }
}

}  // namespace

void lacpy(Arguments& a) {
  for_each_in_trapezoid(a, [&](std::int64_t i, std::int64_t j) { a.matrix("B")(i, j) = a.matrix("A")(i, j); });
}

void laset(Arguments& a) {
  for_each_in_trapezoid(a, [&](std::int64_t i, std::int64_t j) { a.matrix("A")(i, j) = i == j ? a.scalar("beta") : a.scalar("alpha"); });
}

}  // namespace flopcast::kernel::reference
