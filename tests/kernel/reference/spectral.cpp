#include "tests/kernel/reference/spectral.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "tests/kernel/reference/families.hpp"

namespace flopcast::kernel::reference {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Rotates columns p and q in their plane.
void rotate(Dense& a, std::int64_t p, std::int64_t q, double c, double s, Complex phase) {
  for (std::int64_t i = 0; i < a.rows; ++i) {
    const Complex x = a(i, p), y = a(i, q);
    a(i, p) = c * x - s * std::conj(phase) * y;
    a(i, q) = s * phase * x + c * y;
  }
}

/// The rotation of Jacobi that makes the Hermitian [pp pq; conj(pq) qq] diagonal.
struct Rotation {
  double c = 1, s = 0;
  Complex phase = 1;
};
Rotation diagonalising(double pp, double qq, Complex pq) {
  const double size = std::abs(pq);
  const double tau = (qq - pp) / (2 * size);
  const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::sqrt(1 + tau * tau));
  const double c = 1 / std::sqrt(1 + t * t);
  return {c, t * c, pq / size};
}

/// Returns the columns in the order of `order`.
Dense selected(const Dense& a, const std::vector<std::size_t>& order) {
  return dense(a.rows, static_cast<std::int64_t>(order.size()),
               [&](std::int64_t i, std::int64_t j) { return a(i, static_cast<std::int64_t>(order[static_cast<std::size_t>(j)])); });
}

double norm(const Dense& a, std::int64_t column) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    sum += std::norm(a(i, column));
  }
  return std::sqrt(sum);
}

template <class Less>
std::vector<std::size_t> sorted_order(const std::vector<double>& values, Less less) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return less(values[a], values[b]); });
  return order;
}

/// Solves A X = B by elimination with row pivots; pivots that vanish are replaced by small numbers.
Dense solve(Dense a, Dense b) {
  const std::int64_t n = a.rows;
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < n; ++i) {
      pivot = std::abs(a(i, k)) > std::abs(a(pivot, k)) ? i : pivot;
    }
    for (std::int64_t j = 0; j < n; ++j) {
      std::swap(a(k, j), a(pivot, j));
    }
    for (std::int64_t j = 0; j < b.columns; ++j) {
      std::swap(b(k, j), b(pivot, j));
    }
    a(k, k) = std::abs(a(k, k)) < epsilon ? epsilon : a(k, k);
    for (std::int64_t i = 0; i < n; ++i) {
      const Complex factor = i == k ? 0 : a(i, k) / a(k, k);
      for (std::int64_t j = k; factor != 0.0 && j < n; ++j) {
        a(i, j) -= factor * a(k, j);
      }
      for (std::int64_t j = 0; factor != 0.0 && j < b.columns; ++j) {
        b(i, j) -= factor * b(k, j);
      }
    }
  }
  return dense(n, b.columns, [&](std::int64_t i, std::int64_t j) { return b(i, j) / a(i, i); });
}

/// Computes one step A - shift = Q R, A := R Q + shift of the leading n x n part, by Gram-Schmidt.
void qr_step(Dense& a, std::int64_t n, Complex shift) {
  Dense q = dense(n, n, [&](std::int64_t i, std::int64_t j) { return a(i, j) - (i == j ? shift : 0.0); });
  Dense r(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::int64_t l = 0; l < j; ++l) {
        Complex projection = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          projection += std::conj(q(i, l)) * q(i, j);
        }
        r(l, j) += projection;
        for (std::int64_t i = 0; i < n; ++i) {
          q(i, j) -= projection * q(i, l);
        }
      }
    }
    const double length = norm(q, j);
    r(j, j) = length;
    for (std::int64_t i = 0; length > 0 && i < n; ++i) {
      q(i, j) /= length;
    }
  }
  const Dense next = product(r, q);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      a(i, j) = next(i, j) + (i == j ? shift : 0.0);
    }
  }
}

/// Returns the eigenvalue of the last 2 x 2 block that is nearer to its last element.
Complex wilkinson_shift(const Dense& a, std::int64_t n) {
  const Complex trace = a(n - 2, n - 2) + a(n - 1, n - 1);
  const Complex determinant = a(n - 2, n - 2) * a(n - 1, n - 1) - a(n - 2, n - 1) * a(n - 1, n - 2);
  const Complex root = std::sqrt(trace * trace / 4.0 - determinant);
  const Complex first = trace / 2.0 + root, second = trace / 2.0 - root;
  return std::abs(first - a(n - 1, n - 1)) < std::abs(second - a(n - 1, n - 1)) ? first : second;
}

double row_size(const Dense& a, std::int64_t row, std::int64_t columns) {
  double sum = 0;
  for (std::int64_t j = 0; j < columns; ++j) {
    sum += std::abs(a(row, j));
  }
  return sum;
}

// --- Calls ---

Dense read(const Matrix& A, std::int64_t m, std::int64_t n) {
  return dense(m, n, [&](std::int64_t i, std::int64_t j) { return static_cast<Number>(A(i, j)).value(); });
}
void write(const Matrix& A, const Dense& values) {
  for (std::int64_t j = 0; j < values.columns; ++j) {
    for (std::int64_t i = 0; i < values.rows; ++i) {
      A(i, j) = values(i, j);
    }
  }
}
void write(const Vector& x, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    x[static_cast<std::int64_t>(i)] = values[i];
  }
}

HermitianEigen eigen_of_triangle(Arguments& a) {
  const std::int64_t n = a.size("n");
  const bool lower = a.flag("uplo") == 'L';
  const Matrix A = a.matrix("A");
  return hermitian_eigen(dense(n, n, [&](std::int64_t i, std::int64_t j) {
    const bool stored = lower ? i >= j : i <= j;
    const Complex value = static_cast<Number>(stored ? A(i, j) : A(j, i)).value();
    return i == j ? value.real() : stored ? value : std::conj(value);
  }));
}

/// Writes eigenvectors as geev does: those of conjugate eigenvalues of a real matrix as real and imaginary part.
void write_eigenvectors(const Matrix& V, const Dense& a, const std::vector<Complex>& values, bool complex, bool left) {
  const Dense of = left ? adjoint(a) : a;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Dense x = eigenvector(of, left ? std::conj(values[k]) : values[k]);
    const auto column = static_cast<std::int64_t>(k);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (complex || values[k].imag() == 0) {
        V(i, column) = complex ? x(i, 0) : Complex(x(i, 0).real());
      } else if (values[k].imag() > 0 && column + 1 < a.rows) {
        V(i, column) = x(i, 0).real();
        V(i, column + 1) = x(i, 0).imag();
      }
    }
  }
}

/// Returns the eigenvalues with conjugate pairs side by side, the one with positive imaginary part first.
std::vector<Complex> paired(const std::vector<Complex>& values) {
  std::vector<Complex> all;
  for (const Complex& value : values) {
    if (std::abs(value.imag()) < 1e-9 * (1 + std::abs(value))) {
      all.emplace_back(value.real());
    } else if (value.imag() > 0) {
      all.push_back(value);
      all.push_back(std::conj(value));
    }
  }
  return all;
}

void solve_least_squares(Arguments& a, char trans) {
  const std::int64_t m = a.size("m"), n = a.size("n"), count = a.size("nrhs");
  const Dense given = read(a.matrix("A"), m, n);
  const Dense matrix = trans == 'N' ? given : transposed(given, trans == 'C');
  write(a.matrix("A"), given);
  write(a.matrix("B"), least_norm_solution(matrix, read(a.matrix("B"), matrix.rows, count)));
}

}  // namespace

HermitianEigen hermitian_eigen(const Dense& given) {
  static constexpr int max_sweeps = 60;
  Dense a = given;
  const std::int64_t n = a.rows;
  Dense vectors = identity(n);
  bool turned = true;
  for (int sweep = 0; turned && sweep < max_sweeps; ++sweep) {
    turned = false;
    for (std::int64_t q = 1; q < n; ++q) {
      for (std::int64_t p = 0; p < q; ++p) {
        if (std::abs(a(p, q)) <= epsilon * std::sqrt(std::abs(a(p, p) * a(q, q))) || std::abs(a(p, q)) < 1e-300) {
          continue;
        }
        const auto [c, s, phase] = diagonalising(a(p, p).real(), a(q, q).real(), a(p, q));
        rotate(a, p, q, c, s, phase);
        a = adjoint(a);
        rotate(a, p, q, c, s, phase);
        a = adjoint(a);
        rotate(vectors, p, q, c, s, phase);
        turned = true;
      }
    }
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < n; ++i) {
    values.push_back(a(i, i).real());
  }
  const std::vector<std::size_t> order = sorted_order(values, std::less<>());
  std::sort(values.begin(), values.end());
  return {values, selected(vectors, order)};
}

SingularValues singular_values(const Dense& given) {
  static constexpr int max_sweeps = 60;
  if (given.rows < given.columns) {
    SingularValues of_adjoint = singular_values(adjoint(given));
    return {of_adjoint.values, of_adjoint.right, of_adjoint.left};
  }
  Dense a = given;
  Dense right = identity(a.columns);
  bool turned = true;
  for (int sweep = 0; turned && sweep < max_sweeps; ++sweep) {
    turned = false;
    for (std::int64_t q = 1; q < a.columns; ++q) {
      for (std::int64_t p = 0; p < q; ++p) {
        double pp = 0, qq = 0;
        Complex pq = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) {
          pp += std::norm(a(i, p));
          qq += std::norm(a(i, q));
          pq += std::conj(a(i, p)) * a(i, q);
        }
        if (std::abs(pq) <= 4 * epsilon * std::sqrt(pp * qq)) {
          continue;
        }
        const auto [c, s, phase] = diagonalising(pp, qq, pq);
        rotate(a, p, q, c, s, phase);
        rotate(right, p, q, c, s, phase);
        turned = true;
      }
    }
  }
  std::vector<double> values;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    values.push_back(norm(a, j));
    for (std::int64_t i = 0; values.back() > 0 && i < a.rows; ++i) {
      a(i, j) /= values.back();
    }
  }
  const std::vector<std::size_t> order = sorted_order(values, std::greater<>());
  std::sort(values.begin(), values.end(), std::greater<>());
  return {values, selected(a, order), selected(right, order)};
}

Dense completed_basis(const Dense& columns) {
  const std::int64_t n = columns.rows;
  Dense basis(n, n);
  std::int64_t found = 0;
  for (std::int64_t candidate = 0; found < n && candidate < columns.columns + n; ++candidate) {
    for (std::int64_t i = 0; i < n; ++i) {
      basis(i, found) = candidate < columns.columns ? columns(i, candidate) : candidate - columns.columns == i ? 1.0 : 0.0;
    }
    for (int pass = 0; candidate >= columns.columns && pass < 2; ++pass) {
      for (std::int64_t l = 0; l < found; ++l) {
        Complex projection = 0;
        for (std::int64_t i = 0; i < n; ++i) {
          projection += std::conj(basis(i, l)) * basis(i, found);
        }
        for (std::int64_t i = 0; i < n; ++i) {
          basis(i, found) -= projection * basis(i, l);
        }
      }
    }
    const double length = norm(basis, found);
    if (length > 1e-8) {
      for (std::int64_t i = 0; i < n; ++i) {
        basis(i, found) /= length;
      }
      ++found;
    }
  }
  return basis;
}

std::vector<Complex> eigenvalues(const Dense& given) {
  static constexpr int max_steps = 2000;
  static constexpr int unusual = 15;  // steps after which another shift is tried once
  Dense a = given;
  std::vector<Complex> values;
  int steps = 0;
  for (std::int64_t n = a.rows; n > 0;) {
    if (n == 1 || row_size(a, n - 1, n - 1) <= 4 * epsilon * (std::abs(a(n - 1, n - 1)) + std::abs(a(n - 2, n - 2))) || steps > max_steps) {
      values.push_back(a(n - 1, n - 1));
      --n;
      steps = 0;
      continue;
    }
    qr_step(a, n, ++steps % unusual == 0 ? a(n - 1, n - 1) * Complex(1.1, 0.3) : wilkinson_shift(a, n));
  }
  return values;
}

Dense eigenvector(const Dense& a, Complex value) {
  const double size = std::max(1.0, std::abs(value));
  const Dense shifted =
      dense(a.rows, a.rows, [&](std::int64_t i, std::int64_t j) { return a(i, j) - (i == j ? value + 1e-13 * size : 0.0); });
  Dense x = dense(a.rows, 1, [](std::int64_t i, std::int64_t) { return Complex(1, 0.1 * static_cast<double>(i % 7)); });
  for (int step = 0; step < 3; ++step) {
    x = solve(shifted, x);
    const double length = norm(x, 0);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      x(i, 0) /= length;
    }
  }
  return x;
}

Dense least_norm_solution(const Dense& a, const Dense& b) {
  const SingularValues svd = singular_values(a);
  Dense coefficients = product(adjoint(svd.left), b);
  for (std::int64_t j = 0; j < coefficients.columns; ++j) {
    for (std::int64_t i = 0; i < coefficients.rows; ++i) {
      coefficients(i, j) /= svd.values[static_cast<std::size_t>(i)];
    }
  }
  return product(svd.right, coefficients);
}

void syev(Arguments& a) {
  const HermitianEigen eigen = eigen_of_triangle(a);
  write(a.vector("w"), eigen.values);
  if (a.flag("jobz") == 'V') {
    write(a.matrix("A"), eigen.vectors);
  }
}

void syevr(Arguments& a) {
  const std::int64_t n = a.size("n");
  const HermitianEigen eigen = eigen_of_triangle(a);
  write(a.vector("w"), eigen.values);
  const std::int64_t found = a.flag("range") == 'A' ? n : 1;
  a.element("m") = static_cast<double>(found);
  if (a.flag("jobz") == 'V') {
    write(a.matrix("Z"), dense(n, found, [&](std::int64_t i, std::int64_t j) { return eigen.vectors(i, j); }));
  }
}

void sysv(Arguments& a) {
  const std::int64_t n = a.size("n");
  const bool lower = a.flag("uplo") == 'L', hermitian = a.call().routine->family == "hesv";
  const Matrix A = a.matrix("A");
  const Dense matrix = dense(n, n, [&](std::int64_t i, std::int64_t j) {
    const bool stored = lower ? i >= j : i <= j;
    const Complex value = static_cast<Number>(stored ? A(i, j) : A(j, i)).value();
    return stored || !hermitian ? value : std::conj(value);
  });
  write(a.matrix("B"), solve(matrix, read(a.matrix("B"), n, a.size("nrhs"))));
}

void geev(Arguments& a) {
  const std::int64_t n = a.size("n");
  const Dense matrix = read(a.matrix("A"), n, n);
  write(a.matrix("A"), matrix);
  const std::vector<Complex> values = a.complex() ? eigenvalues(matrix) : paired(eigenvalues(matrix));
  for (std::int64_t k = 0; k < std::min(n, static_cast<std::int64_t>(values.size())); ++k) {
    const Complex value = values[static_cast<std::size_t>(k)];
    if (a.complex()) {
      a.vector("w")[k] = value;
    } else {
      a.vector("wr")[k] = value.real();
      a.vector("wi")[k] = value.imag();
    }
  }
  if (a.flag("jobvl") == 'V') {
    write_eigenvectors(a.matrix("VL"), matrix, values, a.complex(), true);
  }
  if (a.flag("jobvr") == 'V') {
    write_eigenvectors(a.matrix("VR"), matrix, values, a.complex(), false);
  }
}

void geevx(Arguments& a) {
  geev(a);
  a.element("ilo") = 1.0;
  a.element("ihi") = static_cast<double>(a.size("n"));
  write(a.vector("scale"), std::vector<double>(static_cast<std::size_t>(a.size("n")), 1.0));
  a.element("abnrm") = 1.0;
  const std::vector<double> conditions(static_cast<std::size_t>(a.size("n")), 1.0);
  if (a.flag("sense") == 'E' || a.flag("sense") == 'B') {
    write(a.vector("rconde"), conditions);
  }
  if (a.flag("sense") == 'V' || a.flag("sense") == 'B') {
    write(a.vector("rcondv"), conditions);
  }
}

namespace {

/// U or V^H: none (N), as many vectors as there are values (S), or all (A).
void write_singular_vectors(const Matrix& target, const Dense& vectors, char job, bool right) {
  if (job != 'N') {
    const Dense all = job == 'A' ? completed_basis(vectors) : vectors;
    write(target, right ? adjoint(all) : all);
  }
}

void svd(Arguments& a, char left, char right) {
  const std::int64_t m = a.size("m"), n = a.size("n");
  const Dense matrix = read(a.matrix("A"), m, n);
  write(a.matrix("A"), matrix);
  const SingularValues values = singular_values(matrix);
  write(a.vector("s"), values.values);
  write_singular_vectors(a.matrix("U"), values.left, left, false);
  write_singular_vectors(a.matrix("VT"), values.right, right, true);
}

}  // namespace

void gesdd(Arguments& a) {
  const bool wide = a.size("m") < a.size("n");
  const char job = a.flag("jobz");
  svd(a, job == 'O' ? (wide ? 'S' : 'N') : job, job == 'O' ? (wide ? 'N' : 'S') : job);
}
void gesvd(Arguments& a) { svd(a, a.flag("jobu"), a.flag("jobvt")); }

void gejsv(Arguments& a) {
  const SingularValues values = singular_values(read(a.matrix("A"), a.size("m"), a.size("n")));
  write(a.vector("sva"), values.values);
  write_singular_vectors(a.matrix("U"), values.left, a.flag("jobu") == 'F' ? 'A' : a.flag("jobu"), false);
  write_singular_vectors(a.matrix("V"), values.right, a.flag("jobv"), false);
}

void gels(Arguments& a) { solve_least_squares(a, a.flag("trans")); }
void gelsd(Arguments& a) {
  write(a.vector("s"), singular_values(read(a.matrix("A"), a.size("m"), a.size("n"))).values);
  a.element("rank") = static_cast<double>(std::min(a.size("m"), a.size("n")));
  solve_least_squares(a, 'N');
}
void gelsy(Arguments& a) {
  for (std::int64_t j = 0; j < a.size("n"); ++j) {
    a.vector("jpvt")[j] = static_cast<double>(j + 1);
  }
  a.element("rank") = static_cast<double>(std::min(a.size("m"), a.size("n")));
  solve_least_squares(a, 'N');
}

}  // namespace flopcast::kernel::reference
