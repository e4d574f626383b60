#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

/// Returns the matrix operand of a BLAS 2 routine, which is called A or AP.
Matrix operand(Arguments& a) { return a.matrix(a.call().routine->index("A") >= 0 ? "A" : "AP"); }

void scale(const Vector& y, std::int64_t n, Number beta) {
  for (std::int64_t i = 0; i < n; ++i) {
    y[i] = scaled(beta, y[i]);
  }
}

void symmetric_times_vector(Arguments& a, bool hermitian) {
  const std::int64_t n = a.size("n");
  const Matrix A = operand(a);
  const Vector x = a.vector("x"), y = a.vector("y");
  scale(y, n, a.scalar("beta"));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const bool here = in_triangle(a.flag("uplo"), i, j);
      if (here ? A.stored(i, j) : A.stored(j, i)) {
        y[i] += scaled(a.scalar("alpha"), symmetric_element(A, a.flag("uplo"), hermitian, i, j)) * x[j];
      }
    }
  }
}

}  // namespace

/// Also gbmv: elements outside of a band are zero.
void gemv(Arguments& a) {
  const bool plain = a.flag("trans") == 'N';
  const std::int64_t rows = a.size(plain ? "m" : "n"), columns = a.size(plain ? "n" : "m");
  const Matrix A = a.matrix("A").op(a.flag("trans"));
  const Vector x = a.vector("x"), y = a.vector("y");
  scale(y, rows, a.scalar("beta"));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      if (A.stored(i, j)) {
        y[i] += scaled(a.scalar("alpha"), A(i, j)) * x[j];
      }
    }
  }
}

void symv(Arguments& a) { symmetric_times_vector(a, false); }
void hemv(Arguments& a) { symmetric_times_vector(a, true); }

void trmv(Arguments& a) {
  multiply(operand(a).op(a.flag("trans")), is_lower(a.flag("uplo"), a.flag("trans")), a.flag("diag") == 'U', a.size("n"), a.vector("x"));
}

void trsv(Arguments& a) {
  solve(operand(a).op(a.flag("trans")), is_lower(a.flag("uplo"), a.flag("trans")), a.flag("diag") == 'U', a.size("n"), a.vector("x"));
}

void geru(Arguments& a) {
  const Matrix A = a.matrix("A");
  for (std::int64_t i = 0; i < a.size("m"); ++i) {
    for (std::int64_t j = 0; j < a.size("n"); ++j) {
      A(i, j) += scaled(a.scalar("alpha"), a.vector("x")[i]) * a.vector("y")[j];
    }
  }
}

void gerc(Arguments& a) {
  const Matrix A = a.matrix("A");
  for (std::int64_t i = 0; i < a.size("m"); ++i) {
    for (std::int64_t j = 0; j < a.size("n"); ++j) {
      A(i, j) += scaled(a.scalar("alpha"), a.vector("x")[i]) * conj(a.vector("y")[j]);
    }
  }
}

/// Also spr, her and hpr, which is Hermitian in complex precisions.
void syr(Arguments& a) {
  const Matrix A = operand(a);
  const Vector x = a.vector("x");
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    for (std::int64_t i = 0; i < a.size("n"); ++i) {
      if (in_triangle(a.flag("uplo"), i, j)) {
        A(i, j) += scaled(a.scalar("alpha"), x[i]) * conj(x[j]);
      }
    }
    make_real(A(j, j), a.complex());
  }
}

/// Also spr2, her2 and hpr2.
void syr2(Arguments& a) {
  const Matrix A = operand(a);
  const Vector x = a.vector("x"), y = a.vector("y");
  const Number alpha = a.scalar("alpha");
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    for (std::int64_t i = 0; i < a.size("n"); ++i) {
      if (in_triangle(a.flag("uplo"), i, j)) {
        A(i, j) += scaled(alpha, x[i]) * conj(y[j]);
        A(i, j) += scaled(conj(alpha), y[i]) * conj(x[j]);
      }
    }
    make_real(A(j, j), a.complex());
  }
}

}  // namespace flopcast::kernel::reference
