#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/reflector.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

/// Computes the QR factorization of the m x n matrix A: reflectors below the diagonal, tau in tau[0] ... tau[min(m, n) - 1].
void qr(const Matrix& A, std::int64_t m, std::int64_t n, const Vector& tau, bool complex, Sign sign = Sign::opposite) {
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const Number t = reflector(m - k, A(k, k), Column{A.from(k + 1, k)}, complex, sign);
    tau[k] = t;
    if (k + 1 < n) {
      apply_left(A.from(k, k + 1), m - k, n - k - 1, ReflectorVector{A.from(k + 1, k)}, conj(t));
    }
  }
}

/// Computes the LQ factorization of the m x n matrix A. The reflector of a row is that of the adjoint's column.
void lq(const Matrix& A, std::int64_t m, std::int64_t n, const Vector& tau, bool complex) {
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const Matrix row = A.from(k, k).adjoint();
    const Number t = reflector(n - k, row(0, 0), Column{row.from(1, 0)}, complex);
    tau[k] = t;
    if (k + 1 < m) {
      apply_right(A.from(k + 1, k), m - k - 1, n - k, ReflectorVector{row.from(1, 0)}, t);
    }
  }
}

/// The reflectors of larft and larfb: component r of reflector c, r = 0 ... length-1.
struct BlockReflector {
  Matrix V;
  std::int64_t length, count;
  bool forward, columnwise;

  [[nodiscard]] std::int64_t unit(std::int64_t c) const { return forward ? c : length - count + c; }
  [[nodiscard]] std::int64_t first(std::int64_t c) const { return forward ? c : 0; }
  [[nodiscard]] std::int64_t end(std::int64_t c) const { return forward ? length : unit(c) + 1; }
  [[nodiscard]] Number operator()(std::int64_t r, std::int64_t c) const {
    return columnwise ? static_cast<Number>(V(r, c)) : conj(V(c, r));
  }
};

BlockReflector block_reflector(Arguments& a, std::int64_t length) {
  return {a.matrix("V"), length, a.size("k"), a.flag("direct") == 'F', a.flag("storev") == 'C'};
}

/// Computes T(l, c) = -tau_c T(:, others) (V_others^H v_c), with T(c, c) = tau_c; the others come before c, or after it if backward.
void triangular_factor(const BlockReflector& V, const Vector& tau, const Matrix& T) {
  for (std::int64_t step = 0; step < V.count; ++step) {
    const std::int64_t c = V.forward ? step : V.count - 1 - step;
    const std::int64_t from = V.forward ? 0 : c + 1, to = V.forward ? c : V.count;
    for (std::int64_t l = from; l < to; ++l) {
      Number product = conj(V(V.unit(c), l));
      for (std::int64_t r = V.first(c); r < V.end(c); ++r) {
        if (r != V.unit(c)) {
          product = product + conj(V(r, l)) * V(r, c);
        }
      }
      T(l, c) = -(tau[c] * product);
    }
    if (to > from) {
      multiply(T.from(from, from), !V.forward, false, to - from, Column{T.from(from, c)});
    }
    T(c, c) = tau[c];
  }
}

/// Computes C := op(H) C = C - V op(T) V^H C, with H = I - V T V^H; the unit components of V take no multiplication.
void apply_block(const BlockReflector& V, const Matrix& T, char trans, const Matrix& C, std::int64_t n) {
  const bool lower = V.forward == (trans != 'N');
  std::vector<Number> w(static_cast<std::size_t>(V.count));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t c = 0; c < V.count; ++c) {
      Number sum = C(V.unit(c), j);
      for (std::int64_t r = V.first(c); r < V.end(c); ++r) {
        if (r != V.unit(c)) {
          sum = sum + conj(V(r, c)) * C(r, j);
        }
      }
      w[static_cast<std::size_t>(c)] = sum;
    }
    multiply(T.op(trans), lower, false, V.count, w.data());
    for (std::int64_t c = 0; c < V.count; ++c) {
      for (std::int64_t r = V.first(c); r < V.end(c); ++r) {
        C(r, j) -= r == V.unit(c) ? w[static_cast<std::size_t>(c)] : V(r, c) * w[static_cast<std::size_t>(c)];
      }
    }
  }
}

}  // namespace

void larfg(Arguments& a) {
  if (a.size("n") > 0) {
    a.element("tau") = reflector(a.size("n"), a.element("alpha"), a.vector("x"), a.complex());
  }
}

void larf(Arguments& a) {
  const bool left = a.flag("side") == 'L';
  (left ? apply_left<Vector> : apply_right<Vector>)(a.matrix("C"), a.size("m"), a.size("n"), a.vector("v"), a.scalar("tau"));
}

void larft(Arguments& a) { triangular_factor(block_reflector(a, a.size("n")), a.vector("tau"), a.matrix("T")); }

/// C op(H) is the adjoint of op(H)^H C^H.
void larfb(Arguments& a) {
  const bool left = a.flag("side") == 'L';
  const bool plain = a.flag("trans") == 'N';
  const BlockReflector V = block_reflector(a, a.size(left ? "m" : "n"));
  const Matrix C = left ? a.matrix("C") : a.matrix("C").adjoint();
  apply_block(V, a.matrix("T"), plain == left ? 'N' : 'C', C, a.size(left ? "n" : "m"));
}

void geqr2(Arguments& a) { qr(a.matrix("A"), a.size("m"), a.size("n"), a.vector("tau"), a.complex()); }

void geqr2p(Arguments& a) { qr(a.matrix("A"), a.size("m"), a.size("n"), a.vector("tau"), a.complex(), Sign::positive); }

/// QL is QR from the last row and column.
void geql2(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  qr(a.matrix("A").reversed(m, n), m, n, a.vector("tau").reversed(std::min(m, n)), a.complex());
}

void gelq2(Arguments& a) { lq(a.matrix("A"), a.size("m"), a.size("n"), a.vector("tau"), a.complex()); }

void gerq2(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  lq(a.matrix("A").reversed(m, n), m, n, a.vector("tau").reversed(std::min(m, n)), a.complex());
}

/// QR by blocks of nb columns; T holds the factor of each block above its columns.
void geqrt(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n"), k = std::min(m, n);
  const Matrix A = a.matrix("A"), T = a.matrix("T");
  for (std::int64_t j = 0; j < k; j += a.size("nb")) {
    const std::int64_t width = std::min(a.size("nb"), k - j);
    Array taus{std::vector<std::complex<double>>(static_cast<std::size_t>(width)), std::vector<bool>(static_cast<std::size_t>(width)),
               std::vector<bool>(static_cast<std::size_t>(width)), std::vector<bool>(static_cast<std::size_t>(width))};
    const Vector tau(&taus, 0, 1);
    qr(A.from(j, j), m - j, width, tau, a.complex());
    const BlockReflector V = {A.from(j, j), m - j, width, true, true};
    triangular_factor(V, tau, T.from(0, j));
    apply_block(V, T.from(0, j), 'C', A.from(j, j + width), n - j - width);
  }
}

/// C op(Q) is the adjoint of op(Q)^H C^H.
void gemqrt(Arguments& a) {
  const bool left = a.flag("side") == 'L', plain = a.flag("trans") == 'N';
  const std::int64_t k = a.size("k"), nb = a.size("nb"), length = a.size(left ? "m" : "n");
  const Matrix V = a.matrix("V"), T = a.matrix("T"), C = left ? a.matrix("C") : a.matrix("C").adjoint();
  const std::int64_t blocks = (k + nb - 1) / nb;
  for (std::int64_t step = 0; step < blocks; ++step) {
    const std::int64_t j = nb * (plain == left ? blocks - 1 - step : step);
    const BlockReflector block = {V.from(j, j), length - j, std::min(nb, k - j), true, true};
    apply_block(block, T.from(0, j), plain == left ? 'N' : 'C', C.from(j, 0), a.size(left ? "n" : "m"));
  }
}

void geqrt3(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  Array taus{std::vector<std::complex<double>>(static_cast<std::size_t>(n)), std::vector<bool>(static_cast<std::size_t>(n)),
             std::vector<bool>(static_cast<std::size_t>(n)), std::vector<bool>(static_cast<std::size_t>(n))};
  const Vector tau(&taus, 0, 1);
  qr(a.matrix("A"), m, n, tau, a.complex());
  triangular_factor({a.matrix("A"), m, n, true, true}, tau, a.matrix("T"));
}

void orm2r(Arguments& a) {
  multiply_by_q(a.matrix("A"), a.vector("tau"), a.matrix("C"), {a.flag("side") == 'L', a.flag("trans") == 'N', a.size("m"), a.size("n")},
                a.size("k"));
}

void org2r(Arguments& a) { generate_q(a.matrix("A"), a.vector("tau"), a.size("m"), a.size("n"), a.size("k"), Order::by_columns); }

}  // namespace flopcast::kernel::reference
