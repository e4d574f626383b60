#pragma once

#include <vector>

#include "tests/kernel/reference/triangular.hpp"

/// Elementary reflectors and their products, for the references of QR, LQ, QL, RQ and of the two-sided reductions.
namespace flopcast::kernel::reference {

/// Choice of beta's sign: opposite to alpha (larfg), or not negative (larfgp).
enum class Sign { opposite, positive };

/// Computes H^H [alpha; x] = [beta; 0] with H = I - tau [1; v] [1; v]^H and real beta; stores beta in alpha and v in x, and returns tau.
/// `x` is indexed by [i] and has n-1 elements. In real arithmetic H is the identity if x is empty or zero (larfg).
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
  Matrix below;  ///< element (i-1, 0) is component i
  Number operator[](std::int64_t i) const { return i == 0 ? Number(1.0) : static_cast<Number>(below(i - 1, 0)); }
};

/// Computes C := (I - tau v v^H) C for the first m rows and n columns of C; scales w = v^H C by tau.
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

/// Computes C := C (I - tau v v^H); scales v^H by tau, as ger does with its second vector.
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

/// The way to apply Q to C, which has m x n elements.
struct Application {
  bool left, plain;  ///< `plain`: Q instead of its adjoint
  std::int64_t m, n;
};

/// Computes C := op(Q) C or C op(Q), Q = H_0 H_1 ... H_{k-1}, whose reflectors are columns of A. Reflectors are applied one by one, the
/// last first if the product requires this order.
void multiply_by_q(const Matrix& A, const Vector& tau, const Matrix& C, const Application& how, std::int64_t k);

/// Reflectors are applied to columns (org2r) or to rows (orgl2): the elements are the same, but the intermediate products differ.
enum class Order { by_columns, by_rows };

/// Sets A to the first n columns, of m elements, of H_0 H_1 ... H_{k-1}.
void generate_q(const Matrix& A, const Vector& tau, std::int64_t m, std::int64_t n, std::int64_t k, Order order);

}  // namespace flopcast::kernel::reference
