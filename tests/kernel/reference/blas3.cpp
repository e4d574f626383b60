#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

void symmetric_multiply(Arguments& a, bool hermitian) {
  const Matrix A = a.matrix("A"), B = a.matrix("B"), C = a.matrix("C");
  const std::int64_t m = a.size("m"), n = a.size("n");
  const bool left = a.flag("side") == 'L';
  const auto element = [&](std::int64_t i, std::int64_t j) {
    return scaled(a.scalar("alpha"), symmetric_element(A, a.flag("uplo"), hermitian, i, j));
  };
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      C(i, j) = scaled(a.scalar("beta"), C(i, j));
      for (std::int64_t l = 0; l < (left ? m : n); ++l) {
        C(i, j) += left ? element(i, l) * B(l, j) : B(i, l) * element(l, j);
      }
    }
  }
}

/// Adds alpha times the sum of factor(i, l) other(l, j) to C's triangle; the diagonal of a Hermitian C is made real.
void update_triangle(Arguments& a, bool hermitian, Number alpha, const Matrix& left, const Matrix& right) {
  const Matrix C = a.matrix("C");
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    for (std::int64_t i = 0; i < a.size("n"); ++i) {
      if (in_triangle(a.flag("uplo"), i, j)) {
        for (std::int64_t l = 0; l < a.size("k"); ++l) {
          C(i, j) += scaled(alpha, left(i, l)) * right(l, j);
        }
      }
    }
    if (hermitian) {
      C(j, j) = static_cast<Number>(C(j, j)).real();
    }
  }
}

void scale_triangle(Arguments& a) {
  const Matrix C = a.matrix("C");
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    for (std::int64_t i = 0; i < a.size("n"); ++i) {
      if (in_triangle(a.flag("uplo"), i, j)) {
        C(i, j) = scaled(a.scalar("beta"), C(i, j));
      }
    }
  }
}

/// `flip` is the transposition of the second factor: T or C.
void rank_k(Arguments& a, bool hermitian, char flip) {
  const Matrix A = a.matrix("A").op(a.flag("trans"));
  scale_triangle(a);
  update_triangle(a, hermitian, a.scalar("alpha"), A, A.op(flip));
}

void rank_2k(Arguments& a, bool hermitian, char flip) {
  const Matrix A = a.matrix("A").op(a.flag("trans")), B = a.matrix("B").op(a.flag("trans"));
  const Number alpha = a.scalar("alpha");
  scale_triangle(a);
  update_triangle(a, hermitian, alpha, A, B.op(flip));
  update_triangle(a, hermitian, hermitian ? conj(alpha) : alpha, B, A.op(flip));
}

/// Applies op(A) to columns of B, or op(A)^T to its rows.
template <class Kernel>
void triangular(Arguments& a, Kernel kernel) {
  const bool left = a.flag("side") == 'L';
  const std::int64_t n = a.size(left ? "m" : "n"), count = a.size(left ? "n" : "m");
  const Matrix op = a.matrix("A").op(a.flag("transa"));
  const Matrix A = left ? op : op.transposed();
  const bool lower = is_lower(a.flag("uplo"), a.flag("transa")) == left;
  const Matrix B = left ? a.matrix("B") : a.matrix("B").transposed();
  for (std::int64_t j = 0; j < count; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      B(i, j) = scaled(a.scalar("alpha"), B(i, j));
    }
    kernel(A, lower, a.flag("diag") == 'U', n, Column{B, j});
  }
}

}  // namespace

void gemm(Arguments& a) {
  const Matrix A = a.matrix("A").op(a.flag("transa")), B = a.matrix("B").op(a.flag("transb")), C = a.matrix("C");
  for (std::int64_t i = 0; i < a.size("m"); ++i) {
    for (std::int64_t j = 0; j < a.size("n"); ++j) {
      C(i, j) = scaled(a.scalar("beta"), C(i, j));
      for (std::int64_t l = 0; l < a.size("k"); ++l) {
        C(i, j) += scaled(a.scalar("alpha"), A(i, l)) * B(l, j);
      }
    }
  }
}

void symm(Arguments& a) { symmetric_multiply(a, false); }
void hemm(Arguments& a) { symmetric_multiply(a, true); }
void syrk(Arguments& a) { rank_k(a, false, 'T'); }
void herk(Arguments& a) { rank_k(a, true, 'C'); }
void syr2k(Arguments& a) { rank_2k(a, false, 'T'); }
void her2k(Arguments& a) { rank_2k(a, true, 'C'); }
void trmm(Arguments& a) {
  triangular(a, [](auto&&... all) { multiply(all...); });
}
void trsm(Arguments& a) {
  triangular(a, [](auto&&... all) { solve(all...); });
}

}  // namespace flopcast::kernel::reference
