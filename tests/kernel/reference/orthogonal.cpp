#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/reflector.hpp"

namespace flopcast::kernel::reference {

void multiply_by_q(const Matrix& A, const Vector& tau, const Matrix& C, const Application& how, std::int64_t k) {
  for (std::int64_t step = 0; step < k; ++step) {
    const std::int64_t i = how.left == how.plain ? k - 1 - step : step;
    const Number t = how.plain ? static_cast<Number>(tau[i]) : conj(tau[i]);
    A(i, i) = static_cast<Number>(A(i, i));  // LAPACK temporarily writes a 1 here
    const ReflectorVector v{A.from(i + 1, i)};
    if (how.left) {
      apply_left(C.from(i, 0), how.m - i, how.n, v, t);
    } else {
      apply_right(C.from(0, i), how.m, how.n - i, v, t);
    }
  }
}

/// Multiplies the identity by the reflectors from the last to the first.
void generate_q(const Matrix& A, const Vector& tau, std::int64_t m, std::int64_t n, std::int64_t k, Order order) {
  for (std::int64_t j = k; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      A(i, j) = i == j ? 1.0 : 0.0;
    }
  }
  for (std::int64_t i = k - 1; i >= 0; --i) {
    const Number t = tau[i];
    const ReflectorVector v{A.from(i + 1, i)};
    if (order == Order::by_columns) {
      apply_left(A.from(i, i + 1), m - i, n - i - 1, v, t);
    } else {
      apply_right(A.from(i, i + 1).adjoint(), n - i - 1, m - i, v, conj(t));
    }
    for (std::int64_t r = i + 1; r < m; ++r) {
      A(r, i) *= -t;
    }
    A(i, i) = Number(1.0) - t;
    for (std::int64_t r = 0; r < i; ++r) {
      A(r, i) = 0.0;
    }
  }
}

namespace {

Application application(Arguments& a) { return {a.flag("side") == 'L', a.flag("trans") == 'N', a.size("m"), a.size("n")}; }

/// Multiplies by the Q of QL, which is the Q of QR with all rows and columns reversed.
void multiply_by_reversed_q(const Matrix& A, const Vector& tau, const Matrix& C, const Application& how, std::int64_t k) {
  multiply_by_q(A.reversed(how.left ? how.m : how.n, k), tau.reversed(k), C.reversed(how.m, how.n), how, k);
}

Application adjoint_of(Application how) {
  how.plain = !how.plain;
  return how;
}

}  // namespace

/// The Q of LQ is the adjoint of the Q of QR of the adjoint matrix.
void orml2(Arguments& a) {
  multiply_by_q(a.matrix("A").adjoint(), a.vector("tau"), a.matrix("C"), adjoint_of(application(a)), a.size("k"));
}

void orm2l(Arguments& a) { multiply_by_reversed_q(a.matrix("A"), a.vector("tau"), a.matrix("C"), application(a), a.size("k")); }

void ormr2(Arguments& a) {
  multiply_by_reversed_q(a.matrix("A").adjoint(), a.vector("tau"), a.matrix("C"), adjoint_of(application(a)), a.size("k"));
}

void orgl2(Arguments& a) { generate_q(a.matrix("A").adjoint(), a.vector("tau"), a.size("n"), a.size("m"), a.size("k"), Order::by_rows); }

void org2l(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n"), k = a.size("k");
  generate_q(a.matrix("A").reversed(m, n), a.vector("tau").reversed(k), m, n, k, Order::by_columns);
}

void orgr2(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n"), k = a.size("k");
  generate_q(a.matrix("A").adjoint().reversed(n, m), a.vector("tau").reversed(k), n, m, k, Order::by_rows);
}

void ormhr(Arguments& a) {
  const std::int64_t ilo = a.size("ilo"), count = a.size("ihi") - ilo;
  Application how = application(a);
  const Matrix C = how.left ? a.matrix("C").from(ilo, 0) : a.matrix("C").from(0, ilo);
  (how.left ? how.m : how.n) = count;
  if (how.m > 0 && how.n > 0) {
    multiply_by_q(a.matrix("A").from(ilo, ilo - 1), a.vector("tau").from(ilo - 1), C, how, count);
  }
}

void ormtr(Arguments& a) {
  Application how = application(a);
  const std::int64_t count = (how.left ? how.m : how.n) - 1;
  (how.left ? how.m : how.n) = count;
  if (count < 0) {
    return;
  }
  if (a.flag("uplo") == 'U') {
    multiply_by_reversed_q(a.matrix("A").from(0, 1), a.vector("tau"), a.matrix("C"), how, count);
  } else {
    multiply_by_q(a.matrix("A").from(1, 0), a.vector("tau"), how.left ? a.matrix("C").from(1, 0) : a.matrix("C").from(0, 1), how, count);
  }
}

/// Q's reflectors are columns of A, P's are rows. Both leave out the first row or column if the reduced matrix was too short.
void ormbr(Arguments& a) {
  Application how = application(a);
  const bool q = a.flag("vect") == 'Q';
  const std::int64_t order = how.left ? how.m : how.n, k = a.size("k");
  const std::int64_t less = (q ? order < k : order <= k) ? 1 : 0;
  const std::int64_t length = std::max<std::int64_t>(0, order - less);
  (how.left ? how.m : how.n) = length;
  const Matrix A = q ? a.matrix("A").from(less, 0) : a.matrix("A").from(0, less).adjoint();
  multiply_by_q(A, a.vector("tau"), how.left ? a.matrix("C").from(less, 0) : a.matrix("C").from(0, less), how, std::min(k, length));
}

namespace {

void set_identity(const Matrix& A, std::int64_t n, std::int64_t first_column, std::int64_t end_column) {
  for (std::int64_t j = first_column; j < end_column; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      A(i, j) = i == j ? 1.0 : 0.0;
    }
  }
}

/// Moves the reflectors below the first subdiagonal of a `count` x `count` part, which begins at (first, first), one column to the right.
void shift_reflectors(const Matrix& A, std::int64_t first, std::int64_t count) {
  for (std::int64_t j = first + count - 1; j >= first; --j) {
    for (std::int64_t i = j + 1; i < first + count; ++i) {
      A(i, j) = static_cast<Number>(A(i, j - 1));
    }
  }
}

void clear_outside(const Matrix& A, std::int64_t n, std::int64_t first, std::int64_t count) {
  set_identity(A, n, 0, first);
  set_identity(A, n, first + count, n);
  for (std::int64_t j = first; j < first + count; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (i < first || i >= first + count) {
        A(i, j) = 0.0;
      }
    }
  }
}

}  // namespace

void orghr(Arguments& a) {
  const std::int64_t n = a.size("n"), ilo = a.size("ilo"), count = std::max<std::int64_t>(0, a.size("ihi") - ilo);
  const Matrix A = a.matrix("A");
  if (n == 0) {
    return;
  }
  shift_reflectors(A, ilo, count);
  clear_outside(A, n, ilo, count);
  generate_q(A.from(ilo, ilo), a.vector("tau").from(ilo - 1), count, count, count, Order::by_columns);
}

void orgbr(Arguments& a) {
  const bool rows = a.flag("vect") == 'P';
  const std::int64_t m = rows ? a.size("n") : a.size("m"), n = rows ? a.size("m") : a.size("n"), k = a.size("k");
  const Matrix A = rows ? a.matrix("A").adjoint() : a.matrix("A");
  const bool less = rows ? k >= m : k > m;  // m = n in this case
  if (m == 0 || n == 0) {
    return;
  }
  if (!less) {
    generate_q(A, a.vector("tau"), m, n, k, rows ? Order::by_rows : Order::by_columns);
    return;
  }
  shift_reflectors(A, 1, m - 1);
  clear_outside(A, m, 1, m - 1);
  generate_q(A.from(1, 1), a.vector("tau"), m - 1, m - 1, m - 1, rows ? Order::by_rows : Order::by_columns);
}

void orgtr(Arguments& a) {
  const std::int64_t n = a.size("n");
  if (n == 0) {
    return;
  }
  const bool upper = a.flag("uplo") == 'U';
  const Matrix A = upper ? a.matrix("A").reversed(n, n) : a.matrix("A");
  const Vector tau = upper ? a.vector("tau").reversed(n - 1) : a.vector("tau");
  shift_reflectors(A, 1, n - 1);
  clear_outside(A, n, 1, n - 1);
  generate_q(A.from(1, 1), tau, n - 1, n - 1, n - 1, Order::by_columns);
}

}  // namespace flopcast::kernel::reference
