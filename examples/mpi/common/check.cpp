#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "lapack.hpp"

namespace subject {
namespace {

double norm(View a) {
  double squares = 0;
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i < a.rows; ++i) {
      squares += a(i, j) * a(i, j);
    }
  }
  return std::sqrt(squares);
}

double sum_of(View a) {
  double sum = 0;
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i < a.rows; ++i) {
      sum += a(i, j) * (1 + (i + 3 * j) % 7);  // weights that differ, so that exchanged elements change the sum
    }
  }
  return sum;
}

void subtract(View a, View b) {
  for (int j = 0; j < b.columns; ++j) {
    for (int i = 0; i < b.rows; ++i) {
      b(i, j) -= a(i, j);
    }
  }
}

template <class Element>
Matrix matrix_of(int m, int n, Element element) {
  Matrix a(m, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      a(i, j) = element(i, j);
    }
  }
  return a;
}

/// Returns the error bound of a backward stable algorithm on matrices of this order.
double rounding(int order) { return 10 * std::numeric_limits<double>::epsilon() * std::max(order, 10); }

/// Changes the signs of R's rows so that its diagonal is positive.
void make_unique(View r) {
  for (int i = 0; i < std::min(r.rows, r.columns); ++i) {
    const double sign = r(i, i) < 0 ? -1 : 1;
    for (int j = i; j < r.columns; ++j) {
      r(i, j) *= sign;
    }
  }
}

/// Returns R of LAPACK's QR factorisation.
Matrix lapack_r(int m, int n) {
  Matrix a = matrix_of(m, n, random_element);
  std::vector<double> tau(static_cast<std::size_t>(n));
  geqrf(a, tau.data());
  Matrix r(n, n);
  lacpy('U', a.view().block(0, 0, n, n), r);
  make_unique(r);
  return r;
}

}  // namespace

bool check_cholesky(View factor) {
  const int n = factor.rows;
  Matrix l(n, n);
  lacpy('L', factor, l);
  const auto element = [n](int i, int j) { return definite_element(i, j, n); };
  Matrix whole = matrix_of(n, n, element);
  potrf('L', whole);
  Matrix difference(n, n);
  lacpy('L', whole, difference);
  const double size = norm(difference);
  subtract(l, difference);
  const double off = norm(difference) / size;

  Matrix a = matrix_of(n, n, element);
  const double length = norm(a);
  gemm('N', 'T', -1, l, l, 1, a);
  const double residual = norm(a) / length;
  std::printf("difference from LAPACK's factor: %.1e\nresidual |A - LL'| / |A|: %.1e\nchecksum: %a\n", off, residual, sum_of(l));
  return off < rounding(n) && residual < rounding(n);
}

bool check_qr(View r, View q_transposed) {
  const int m = r.rows;
  const int n = r.columns;
  Matrix upper(m, n);
  lacpy('U', r, upper);
  Matrix a = matrix_of(m, n, random_element);
  const double length = norm(a);
  gemm('T', 'N', -1, q_transposed, upper, 1, a);
  const double residual = norm(a) / length;

  Matrix identity(m, m);
  laset('A', 0, 1, identity);
  gemm('N', 'T', -1, q_transposed, q_transposed, 1, identity);
  const double orthogonality = norm(identity) / std::sqrt(m);

  const double sum = sum_of(upper) + sum_of(q_transposed);
  Matrix expected = lapack_r(m, n);
  const double size = norm(expected);
  make_unique(upper);
  subtract(upper.view().block(0, 0, n, n), expected);
  const double off = norm(expected) / size;
  std::printf("residual |A - QR| / |A|: %.1e\northogonality |I - Q'Q|: %.1e\ndifference from LAPACK's R: %.1e\nchecksum: %a\n", residual,
              orthogonality, off, sum);
  // R differs more, in proportion to the condition of A: a few hundred times the order for random square matrices.
  return residual < rounding(m) && orthogonality < rounding(m) && off < 1000 * rounding(m);
}

}  // namespace subject
