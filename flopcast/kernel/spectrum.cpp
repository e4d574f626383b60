#include "flopcast/kernel/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace flopcast::kernel {
namespace {

/// A random orthogonal matrix as a product of plane rotations. Two sweeps over all distances of rows, from neighbours to halves of the
/// matrix, make each element of the product depend on all angles of its row and column.
template <class Real>
class Rotations {
 public:
  Rotations(std::int64_t order, std::minstd_rand& generator) {
    constexpr double pi = 3.14159265358979323846;
    std::uniform_real_distribution<double> angle(0, 2 * pi);
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (std::int64_t distance = 1; distance < order; distance *= 2) {
        for (std::int64_t i = 0; i + distance < order; ++i) {
          if (i / distance % 2 == 0) {
            const double phi = angle(generator);
            all_.push_back({i, i + distance, static_cast<Real>(std::cos(phi)), static_cast<Real>(std::sin(phi))});
          }
        }
      }
    }
  }

  /// Rotates the rows of a column.
  template <class Element>
  void rotate_rows(Element* column) const {
    for (const Rotation& one : all_) {
      rotate(column[one.i], column[one.j], one);
    }
  }
  /// Rotates the columns of a matrix with this leading dimension.
  template <class Element>
  void rotate_columns(Element* matrix, std::int64_t rows, std::int64_t ld) const {
    for (const Rotation& one : all_) {
      Element* const x = matrix + one.i * ld;
      Element* const y = matrix + one.j * ld;
      for (std::int64_t row = 0; row < rows; ++row) {
        rotate(x[row], y[row], one);
      }
    }
  }

 private:
  struct Rotation {
    std::int64_t i, j;
    Real c, s;
  };
  template <class Element>
  static void rotate(Element& x, Element& y, const Rotation& by) {
    const Element kept = x;
    x = by.c * kept - by.s * y;
    y = by.s * kept + by.c * y;
  }

  std::vector<Rotation> all_;
};

/// Returns value `i` of `count`; the values fall.
double value(Spectrum spectrum, std::int64_t i, std::int64_t count, double precision) {
  constexpr std::int64_t clusters = 8;
  const double share = static_cast<double>(i) / static_cast<double>(count);
  switch (spectrum) {
    case Spectrum::uniform: return 1 - share;
    case Spectrum::clustered: return 1 - static_cast<double>(i * clusters / count) / clusters;
    case Spectrum::geometric: return std::pow(precision, share);
    case Spectrum::deficient: return std::max(0.0, 1 - 2 * share);
  }
  return 0;
}

template <class Element, class Real>
void fill_matrix(Element* matrix, std::int64_t rows, std::int64_t columns, std::int64_t ld, bool symmetric, Spectrum spectrum,
                 std::uint64_t seed) {
  std::minstd_rand generator(static_cast<std::minstd_rand::result_type>(seed % 2147483646 + 1));
  const std::int64_t count = std::min(rows, columns);
  for (std::int64_t j = 0; j < columns; ++j) {
    std::fill_n(matrix + j * ld, rows, Element{0});
    if (j < count) {
      const double size = value(spectrum, j, count, std::numeric_limits<Real>::epsilon());
      matrix[j + j * ld] = static_cast<Real>(symmetric && j % 2 == 1 ? -size : size);
    }
  }
  const Rotations<Real> right(columns, generator);
  right.rotate_columns(matrix, rows, ld);
  const Rotations<Real> left = symmetric ? right : Rotations<Real>(rows, generator);
  for (std::int64_t j = 0; j < columns; ++j) {
    left.rotate_rows(matrix + j * ld);
  }
  if constexpr (!std::is_same_v<Element, Real>) {  // one phase for each row, and its conjugate for the column of the same number
    std::uniform_real_distribution<Real> angle(-3, 3);
    std::vector<Element> phases;
    for (std::int64_t i = 0; i < std::max(rows, columns); ++i) {
      phases.push_back(std::polar(Real{1}, angle(generator)));
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) {
        matrix[i + j * ld] *= i == j ? Element{1} : phases[static_cast<std::size_t>(i)] * std::conj(phases[static_cast<std::size_t>(j)]);
      }
    }
  }
}

}  // namespace

std::string to_string(Spectrum spectrum) { return std::string(spectrum_names.at(static_cast<std::size_t>(spectrum)).second); }

void fill_spectrum(const Call& call, Spectrum spectrum, std::uint64_t seed) {
  const auto a = static_cast<std::size_t>(call.routine->index("A"));
  const Argument& argument = call.routine->arguments[a];
  const auto fill = [&]<class Element, class Real>(Element* matrix, Real) {
    fill_matrix<Element, Real>(matrix, argument.rows.integer(call.values()), argument.columns.integer(call.values()),
                               call.arguments[static_cast<std::size_t>(argument.stride)], call.routine->index("uplo") >= 0, spectrum, seed);
  };
  switch (call.routine->precision) {
    case Precision::s: fill(reinterpret_cast<float*>(call.address(a)), float{}); break;
    case Precision::d: fill(reinterpret_cast<double*>(call.address(a)), double{}); break;
    case Precision::c: fill(reinterpret_cast<std::complex<float>*>(call.address(a)), float{}); break;
    case Precision::z: fill(reinterpret_cast<std::complex<double>*>(call.address(a)), double{}); break;
  }
}

}  // namespace flopcast::kernel
