#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

/// How a reflector chooses beta: away from alpha's sign (larfg), or not negative (larfgp).
enum class Sign { opposite, positive };

/// H^H [alpha; x] = [beta; 0] with H = I - tau [1; v] [1; v]^H and real beta; leaves beta in alpha, v in x, and gives back tau.
/// `x` is indexed by [i] and has n-1 elements. In real arithmetic H is the identity where x is empty or zero (larfg).
template <class X>
Number reflector(std::int64_t n, Element alpha, const X& x, bool complex, Sign sign = Sign::opposite) {
  Number sum = 0.0;
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    const Number square = Number(std::norm(static_cast<Number>(x[i]).value()));
    tally().multiplications += 1;
    sum = i == 0 ? square : sum + square;
  }
  const Number first = alpha;
  if (sign == Sign::opposite && sum.real() == 0 && (!complex || first.imag() == 0)) {
    return 0.0;
  }
  const Number rest = sqrt(sum);
  const Number length = sqrt(counted_multiplication(std::norm(first.value())) + rest * rest);
  const Number beta = sign == Sign::opposite && first.real() >= 0 ? -length : length;
  const Number tau = (beta - first) / beta;
  if (n > 1) {
    const Number factor = Number(1.0) / (first - beta);
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      x[i] *= factor;
    }
  }
  alpha = beta;
  return tau;
}

/// A reflector's vector: its first component may be an implicit 1, the others are elements of a matrix's column.
struct ReflectorVector {
  Matrix below;  ///< its element (i-1, 0) is component i
  Number operator[](std::int64_t i) const { return i == 0 ? Number(1.0) : static_cast<Number>(below(i - 1, 0)); }
};

/// C := (I - tau v v^H) C for the first m rows and n columns of C; scales w = v^H C by tau.
template <class V>
void apply_left(const Matrix& C, std::int64_t m, std::int64_t n, const V& v, Number tau) {
  for (std::int64_t j = 0; j < n; ++j) {
    Number w = 0.0;
    for (std::int64_t i = 0; i < m; ++i) {
      w = w + conj(v[i]) * C(i, j);
    }
    w = tau * w;
    for (std::int64_t i = 0; i < m; ++i) {
      C(i, j) -= v[i] * w;
    }
  }
}

/// C := C (I - tau v v^H); scales v^H by tau, as ger does with its second vector.
template <class V>
void apply_right(const Matrix& C, std::int64_t m, std::int64_t n, const V& v, Number tau) {
  std::vector<Number> scaled_vector;
  for (std::int64_t j = 0; j < n; ++j) {
    scaled_vector.push_back(tau * conj(v[j]));
  }
  for (std::int64_t i = 0; i < m; ++i) {
    Number w = 0.0;
    for (std::int64_t j = 0; j < n; ++j) {
      w = w + C(i, j) * v[j];
    }
    for (std::int64_t j = 0; j < n; ++j) {
      C(i, j) -= w * scaled_vector[static_cast<std::size_t>(j)];
    }
  }
}

/// QR of the m x n matrix A: reflectors below the diagonal, tau in tau[0] ... tau[min(m, n) - 1].
void qr(const Matrix& A, std::int64_t m, std::int64_t n, const Vector& tau, bool complex, Sign sign = Sign::opposite) {
  for (std::int64_t k = 0; k < std::min(m, n); ++k) {
    const Number t = reflector(m - k, A(k, k), Column{A.from(k + 1, k)}, complex, sign);
    tau[k] = t;
    if (k + 1 < n) {
      apply_left(A.from(k, k + 1), m - k, n - k - 1, ReflectorVector{A.from(k + 1, k)}, conj(t));
    }
  }
}

/// The same of the m x n matrix A's rows: A = L Q. A row's reflector is that of the adjoint's column.
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

/// T(l, c) = -tau_c T(:, others) (V_others^H v_c), with T(c, c) = tau_c; others come before c, or after it if backward.
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

/// C := op(H) C = C - V op(T) V^H C, with H = I - V T V^H; the unit components of V take no multiplication.
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

/// QR block by block of nb columns; T holds the factor of each block on top of its columns.
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

void geqrt3(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  Array taus{std::vector<std::complex<double>>(static_cast<std::size_t>(n)), std::vector<bool>(static_cast<std::size_t>(n)),
             std::vector<bool>(static_cast<std::size_t>(n)), std::vector<bool>(static_cast<std::size_t>(n))};
  const Vector tau(&taus, 0, 1);
  qr(a.matrix("A"), m, n, tau, a.complex());
  triangular_factor({a.matrix("A"), m, n, true, true}, tau, a.matrix("T"));
}

/// Q = H_0 H_1 ... H_{k-1}: the reflectors go one by one, the last first where the product asks for it.
void orm2r(Arguments& a) {
  const bool left = a.flag("side") == 'L';
  const bool plain = a.flag("trans") == 'N';
  const std::int64_t m = a.size("m"), n = a.size("n"), k = a.size("k");
  const Matrix A = a.matrix("A"), C = a.matrix("C");
  for (std::int64_t step = 0; step < k; ++step) {
    const std::int64_t i = left == plain ? k - 1 - step : step;
    const Number tau = plain ? static_cast<Number>(a.vector("tau")[i]) : conj(a.vector("tau")[i]);
    A(i, i) = static_cast<Number>(A(i, i));  // LAPACK puts a 1 there for a moment
    const ReflectorVector v{A.from(i + 1, i)};
    if (left) {
      apply_left(C.from(i, 0), m - i, n, v, tau);
    } else {
      apply_right(C.from(0, i), m, n - i, v, tau);
    }
  }
}

/// The first n columns of the identity, multiplied by the reflectors from the last to the first.
void org2r(Arguments& a) {
  const std::int64_t m = a.size("m"), n = a.size("n"), k = a.size("k");
  const Matrix A = a.matrix("A");
  for (std::int64_t j = k; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      A(i, j) = i == j ? 1.0 : 0.0;
    }
  }
  for (std::int64_t i = k - 1; i >= 0; --i) {
    const Number tau = a.vector("tau")[i];
    apply_left(A.from(i, i + 1), m - i, n - i - 1, ReflectorVector{A.from(i + 1, i)}, tau);
    for (std::int64_t r = i + 1; r < m; ++r) {
      A(r, i) *= -tau;
    }
    A(i, i) = Number(1.0) - tau;
    for (std::int64_t r = 0; r < i; ++r) {
      A(r, i) = 0.0;
    }
  }
}

}  // namespace flopcast::kernel::reference
