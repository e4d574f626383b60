#include "tests/kernel/reference/families.hpp"
#include "tests/kernel/reference/triangular.hpp"

namespace flopcast::kernel::reference {
namespace {

double magnitude(Number value) { return std::abs(value.real()) + std::abs(value.imag()); }

/// A = L D L^T or L D L^H of the lower triangle with the pivots of Bunch and Kaufman, right-looking. An upper triangle, reversed, is a
/// lower triangle.
class Indefinite {
 public:
  Indefinite(Arguments& a, bool hermitian)
      : upper_(a.flag("uplo") == 'U'),
        hermitian_(hermitian),
        n_(a.size("n")),
        A_(upper_ ? a.matrix("A").reversed(n_, n_) : a.matrix("A")),
        pivots_(upper_ ? a.vector("ipiv").reversed(n_) : a.vector("ipiv")) {}

  /// Returns the number of factored columns: all, or nb-1 or nb if there are more.
  std::int64_t factor(std::int64_t nb) {
    std::int64_t k = 0;
    while (k < n_ && (nb >= n_ || k + 1 < nb)) {
      const Pivot pivot = choose(k);
      swap(k, pivot);
      make_real(k, pivot.step);
      pivot.step == 1 ? eliminate_one(k) : eliminate_two(k);
      const auto row = static_cast<double>(upper_ ? n_ - pivot.row : pivot.row + 1);
      for (std::int64_t i = k; i < k + pivot.step; ++i) {
        pivots_[i] = pivot.step == 1 ? row : -row;
      }
      k += pivot.step;
    }
    return k;
  }

 private:
  struct Pivot {
    std::int64_t row, step;
  };

  Number adjoint(Number value) const { return hermitian_ ? conj(value) : value; }
  double diagonal(std::int64_t i) const {
    const Number value = A_(i, i);
    return hermitian_ ? std::abs(value.real()) : magnitude(value);
  }

  Pivot choose(std::int64_t k) const {
    const double alpha = (1 + std::sqrt(17.0)) / 8;
    std::int64_t largest = k + 1;
    for (std::int64_t i = k + 2; i < n_; ++i) {
      largest = magnitude(A_(i, k)) > magnitude(A_(largest, k)) ? i : largest;
    }
    const double column = k + 1 < n_ ? magnitude(A_(largest, k)) : 0;
    if (diagonal(k) >= alpha * column) {
      return {k, 1};
    }
    double row = 0;
    for (std::int64_t j = k; j < n_; ++j) {
      if (j != largest) {
        row = std::max(row, magnitude(j < largest ? A_(largest, j) : A_(j, largest)));
      }
    }
    if (diagonal(k) >= alpha * column * (column / row)) {
      return {k, 1};
    }
    return {largest, diagonal(largest) >= alpha * row ? 1 : 2};
  }

  static void exchange(Element a, Element b) {
    const Number kept = a;
    a = b;
    b = kept;
  }

  /// Exchanges rows and columns of the part that isn't factored yet.
  void swap(std::int64_t k, const Pivot& pivot) {
    const std::int64_t from = k + pivot.step - 1, to = pivot.row;
    if (from == to) {
      return;
    }
    for (std::int64_t i = to + 1; i < n_; ++i) {
      exchange(A_(i, from), A_(i, to));
    }
    for (std::int64_t j = from + 1; j < to; ++j) {
      const Number kept = A_(j, from);
      A_(j, from) = adjoint(A_(to, j));
      A_(to, j) = adjoint(kept);
    }
    A_(to, from) = adjoint(A_(to, from));
    exchange(A_(from, from), A_(to, to));
    if (pivot.step == 2) {
      exchange(A_(k + 1, k), A_(to, k));
    }
  }

  void make_real(std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; hermitian_ && i < first + count; ++i) {
      A_(i, i) = static_cast<Number>(A_(i, i)).real();
    }
  }

  void eliminate_one(std::int64_t k) {
    const Number reciprocal = Number(1.0) / A_(k, k);
    for (std::int64_t j = k + 1; j < n_; ++j) {
      const Number factor = reciprocal * adjoint(A_(j, k));
      for (std::int64_t i = j; i < n_; ++i) {
        A_(i, j) -= A_(i, k) * factor;
      }
    }
    for (std::int64_t i = k + 1; i < n_; ++i) {
      A_(i, k) *= reciprocal;
    }
    make_real(k + 1, n_ - k - 1);
  }

  void eliminate_two(std::int64_t k) {
    const Number d11 = A_(k, k), d21 = A_(k + 1, k), d22 = A_(k + 1, k + 1);
    const Number determinant = d11 * d22 - d21 * adjoint(d21);
    std::vector<Number> first, second;
    for (std::int64_t i = k + 2; i < n_; ++i) {
      first.push_back((A_(i, k) * d22 - A_(i, k + 1) * d21) / determinant);
      second.push_back((A_(i, k + 1) * d11 - A_(i, k) * adjoint(d21)) / determinant);
    }
    for (std::int64_t j = k + 2; j < n_; ++j) {
      for (std::int64_t i = j; i < n_; ++i) {
        A_(i, j) -= first[static_cast<std::size_t>(i - k - 2)] * adjoint(A_(j, k));
        A_(i, j) -= second[static_cast<std::size_t>(i - k - 2)] * adjoint(A_(j, k + 1));
      }
    }
    for (std::int64_t i = k + 2; i < n_; ++i) {
      A_(i, k) = first[static_cast<std::size_t>(i - k - 2)];
      A_(i, k + 1) = second[static_cast<std::size_t>(i - k - 2)];
    }
    make_real(k + 2, n_ - k - 2);
  }

  bool upper_, hermitian_;
  std::int64_t n_;
  Matrix A_;
  Vector pivots_;
};

}  // namespace

void sytf2(Arguments& a) { Indefinite(a, false).factor(a.size("n")); }
void hetf2(Arguments& a) { Indefinite(a, true).factor(a.size("n")); }
void lasyf(Arguments& a) { a.element("kb") = static_cast<double>(Indefinite(a, false).factor(a.size("nb"))); }
void lahef(Arguments& a) { a.element("kb") = static_cast<double>(Indefinite(a, true).factor(a.size("nb"))); }

}  // namespace flopcast::kernel::reference
