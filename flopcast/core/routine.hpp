#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/expression.hpp"

namespace flopcast {

/// The four precisions of BLAS and LAPACK, by their letter.
enum class Precision : char { s = 's', d = 'd', c = 'c', z = 'z' };

[[nodiscard]] constexpr bool is_complex(Precision p) { return p == Precision::c || p == Precision::z; }
[[nodiscard]] constexpr std::int64_t real_bytes(Precision p) { return p == Precision::s || p == Precision::c ? 4 : 8; }
[[nodiscard]] constexpr std::int64_t element_bytes(Precision p) { return real_bytes(p) * (is_complex(p) ? 2 : 1); }

/// Kinds of arguments.
enum class Kind : std::uint8_t {
  flag,               ///< one character; Argument::values lists the legal ones
  sign,               ///< an integer that is a flag (trsyl's isgn, sygst's itype); Argument::values lists the legal ones
  size,               ///< an integer that models take as a variable
  scalar,             ///< a number in the routine's precision, read only
  real_scalar,        ///< a real number even in complex routines, read only
  data,               ///< an operand
  leading_dimension,  ///< leading dimension of the data argument before it
  increment,          ///< increment of the data argument before it
  work_size,          ///< lwork: number of elements of the work argument before it, not a variable of a model; Argument::rows suffice
  work,               ///< scratch space: an operand whose contents on entry don't matter
  pivots,             ///< an array of integers (ipiv)
  info,               ///< LAPACK's return code: 0, or the number of the argument or pivot at fault
};

enum class Access : std::uint8_t { read, write, update };

/// Layout of an operand's elements.
enum class Form : std::uint8_t {
  scalar,    ///< one element (rotg's, trsyl's scale)
  vector,    ///< `rows` elements, `increment` apart
  full,      ///< rows x columns
  triangle,  ///< the triangle of order `rows` that the flag `uplo` names; with `diag` = U without its diagonal
  /// The part of rows x columns elements on and above (U) or below (L) the diagonal; the whole matrix for other letters. P and Q (ormbr's
  /// vect) are U and L.
  trapezoid,
  /// A trapezoid beside the diagonal that ends in the last corner instead of starting in the first (the reflectors of geqlf).
  end_trapezoid,
  /// Footprint of a reduction to Hessenberg form: the rows from `lower` (counted from 0) to `rows` of `columns` columns, and the rows above
  /// in the `upper` columns after the first.
  hessenberg,
  packed,         ///< triangle stored column after column without gaps; a unit diagonal lies among the rest and counts as touched
  band,           ///< rows x columns with `lower` sub- and `upper` super-diagonals in band storage
  band_triangle,  ///< order `rows` with `upper` off-diagonals on the side that `uplo` names, in band storage
  reflectors,     ///< elementary reflectors as larfb takes them: `rows` long, `columns` of them; `storev` = C in columns, R in rows;
                  ///< `direct` = F or B; the unit triangle isn't touched
};

/// Values of operands that are safe for timing and testing a routine. "Small" values are random and negligible beside a diagonal of 1.
enum class Fill : std::uint8_t {
  random,       ///< uniform in [-1, 1]
  triangular,   ///< small outside of a diagonal of 1: products and solves, even repeated, neither grow nor shrink
  permuted,     ///< triangular with permuted rows: its LU factorization swaps rows in nearly every step
  schur,        ///< upper triangular with zeros below the diagonal: its spectrum is 1 (trsyl)
  schur_apart,  ///< schur with a diagonal of 3, so that neither its spectrum nor the negative of it meets the spectrum of a schur matrix
  definite,     ///< Hermitian positive definite: random outside of a large diagonal; a scalar is positive
  reflectors,   ///< small vectors, like those below the diagonal after a QR factorization of a tall matrix
  factors,      ///< tau and T of small reflectors: 2 in a vector or on the diagonal, small elsewhere
  zero,
};

/// One argument of a routine's Fortran interface.
struct Argument {
  std::string name;
  Kind kind = Kind::size;
  std::string values;  ///< flag: legal letters, e.g. "LR"; sign: "+-" for 1 and -1, or legal digits, e.g. "123"

  // data and work only
  Access access = Access::read;
  Form form = Form::full;
  Fill fill = Fill::random;
  bool real = false;         ///< real elements even in a complex routine
  bool integer = false;      ///< integers (iwork)
  Expression rows, columns;  ///< extents in elements; rows of a leading dimension: its least value, where the operand's rows aren't it;
                             ///< rows of a size or number: its usual value (gehrd's ilo and ihi; a number's is 1 without)
  Expression offset;         ///< elements of a vector, or rows of a matrix, before the first touched one (laswp's k1 - 1)
  Expression column_offset;  ///< columns of a matrix before the first touched one
  Expression lower, upper;   ///< bandwidths of a band or a Hessenberg form
  Expression skipped;        ///< value that a skipped call leaves in each element, because its caller may decide by it
  int uplo = -1;             ///< index of the flag that names the triangle (L, or B of `direct`: lower), or -1 with `fixed_uplo`
  char fixed_uplo = 'U';
  int diag = -1;                 ///< index of the flag N/U, or -1: the diagonal belongs to it
  int storev = -1, direct = -1;  ///< reflectors
  int stride = -1;               ///< index of its leading dimension or increment, or -1: contiguous

  friend bool operator==(const Argument&, const Argument&) = default;
};

/// Kind of value that a Fortran function returns.
enum class Returns : std::uint8_t { nothing, element, real, integer };

/// A relation of arguments without which a call is illegal, e.g. "m >= n".
struct Constraint {
  std::string text;
  Expression slack;  ///< left minus right side; legal if not negative
  friend bool operator==(const Constraint&, const Constraint&) = default;
};

/// A catalogue entry: all that is known about one routine of one precision.
struct Routine {
  std::string name;       ///< lower case, without underscore: "dgemm"
  std::string family;     ///< without precision: "gemm"
  std::string operation;  ///< one line for help: "C := alpha op(A) op(B) + beta C"
  Precision precision = Precision::d;
  Returns returns = Returns::nothing;
  bool double_result = false;       ///< dsdot: single operands, double result
  std::vector<Argument> arguments;  ///< in the order of the interface
  std::vector<Constraint> constraints;
  Expression multiplications, additions;  ///< in the routine's own arithmetic (a complex one counts as one)

  /// Index of argument `name`, or -1.
  [[nodiscard]] int index(std::string_view argument) const noexcept {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].name == argument) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }
};

}  // namespace flopcast
