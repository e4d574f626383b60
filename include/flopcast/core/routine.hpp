#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast {

/// A small arithmetic formula over the integer and flag arguments of a routine, as the catalogue writes them:
/// `2*m*n*k`, `side=L ? m : n`, `min(m,n)`, `(n*(n+1))/2`. Compiled once, evaluated in nanoseconds.
///
/// Grammar: numbers, argument names, `+ - * /`, `%` for the remainder, unary minus, parentheses, `min(a,b)`, `max(a,b)`, and `flag=X ? a : b`. X is one or more
/// letters, any of which matches, whatever the case of the argument. Division is exact (real); integer() rounds sizes towards zero.
class ArgumentFormula {
 public:
  ArgumentFormula() = default;
  /// Compiles `text`; a name's value is argument number `names.index(name)`. Throws internal_error on a syntax error or an
  /// unknown name: formulae are part of the program.
  ArgumentFormula(std::string_view text, std::span<const std::string_view> names);

  [[nodiscard]] bool empty() const noexcept { return program_.empty(); }
  /// `arguments[i]` holds argument i: an integer, or the character code of a flag.
  [[nodiscard]] double value(std::span<const std::int64_t> arguments) const;
  [[nodiscard]] std::int64_t integer(std::span<const std::int64_t> arguments) const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const ArgumentFormula& a, const ArgumentFormula& b) { return a.text_ == b.text_; }

 private:
  enum class Code : std::uint8_t {
    number,
    argument,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    minimum,
    maximum,
    negate,
    jump_unless_flag,
    jump
  };
  struct FormulaStep {
    Code code = Code::number;
    std::uint8_t argument = 0;
    std::uint32_t flags = 0;   ///< jump_unless_flag: bit i set if letter 'A'+i matches
    std::uint32_t target = 0;  ///< jumps: the step to continue with
    double number = 0;
  };
  friend class FormulaCompiler;

  std::string text_;
  std::vector<FormulaStep> program_;
};

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
  bool real = false;     ///< real elements even in a complex routine
  bool integer = false;  ///< integers (iwork)
  ArgumentFormula rows,
      columns;             ///< extents in elements; rows of a leading dimension: its least value, where the operand's rows aren't it;
                           ///< rows of a size or number: its usual value (gehrd's ilo and ihi; a number's is 1 without)
  ArgumentFormula offset;  ///< elements of a vector, or rows of a matrix, before the first touched one (laswp's k1 - 1)
  ArgumentFormula column_offset;  ///< columns of a matrix before the first touched one
  ArgumentFormula lower, upper;   ///< bandwidths of a band or a Hessenberg form
  ArgumentFormula skipped;        ///< value that a skipped call leaves in each element, because its caller may decide by it
  int uplo = -1;                  ///< index of the flag that names the triangle (L, or B of `direct`: lower), or -1 with `fixed_uplo`
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
  ArgumentFormula slack;  ///< left minus right side; legal if not negative
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
  ArgumentFormula multiplications, additions;  ///< in the routine's own arithmetic (a complex one counts as one)

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

/// The parts of the name under which a library exports a routine: `scipy_` `dgemm` `_64_`, `dgemm` `_`, `cblas_dgemm` `64_`, `DGEMM`.
struct RoutineSymbol {
  std::string_view prefix;   ///< one of symbol_prefixes
  std::string_view routine;  ///< "dgemm", "DGEMM", "cblas_dgemm"
  std::string_view suffix;   ///< one of fortran_suffixes, or of c_suffixes for a routine of CBLAS
};

/// Prefixes and suffixes of routines: the usual ones first, then those of SciPy's and Julia's builds of OpenBLAS, of reference LAPACK's
/// extended interface and of MKL.
inline constexpr std::string_view symbol_prefixes[] = {"", "scipy_"};
inline constexpr std::string_view fortran_suffixes[] = {"_", "_64_", "_64", "64_", ""};
inline constexpr std::string_view c_suffixes[] = {"", "64_", "_64", "_64_"};

inline constexpr bool is_c_routine(std::string_view routine) { return routine.starts_with("cblas_"); }

/// Returns the parts of `symbol`, whether or not such a routine exists.
inline constexpr RoutineSymbol routine_symbol(std::string_view symbol) {
  RoutineSymbol parts{"", symbol, ""};
  for (const std::string_view prefix : symbol_prefixes) {
    if (parts.routine.starts_with(prefix) && prefix.size() > parts.prefix.size()) {
      parts.prefix = prefix;
    }
  }
  parts.routine.remove_prefix(parts.prefix.size());
  const bool c = is_c_routine(parts.routine);
  const auto take_longest = [&parts](const auto& suffixes) {
    for (const std::string_view suffix : suffixes) {
      if (suffix.size() > parts.suffix.size() && parts.routine.ends_with(suffix)) {
        parts.suffix = suffix;
      }
    }
  };
  c ? take_longest(c_suffixes) : take_longest(fortran_suffixes);
  parts.routine.remove_suffix(parts.suffix.size());
  return parts;
}

/// A symbol's name, built without heap memory.
class SymbolName {
 public:
  SymbolName(std::string_view prefix, std::string_view routine, std::string_view suffix) noexcept {
    for (const std::string_view part : {prefix, routine, suffix}) {
      for (const char c : part) {
        if (length_ + 1 < sizeof text_) {
          text_[length_++] = c;
        }
      }
    }
  }
  [[nodiscard]] const char* c_str() const noexcept { return text_; }

 private:
  char text_[64]{};
  std::size_t length_ = 0;
};

/// An integer argument for routines of either width: both read the same value.
/// BLAS and LAPACK have integers of 32 bits (LP64) or 64 bits (ILP64), often under the same names. Calls with the wrong width don't fail at
/// once: the routine reads sizes together with the bytes behind them, or writes results over these bytes.
using FortranInteger = std::int64_t;
static_assert(std::endian::native == std::endian::little, "a routine with 32-bit integers would read the upper half");

/// Returns the number of bytes of the integers that a library's routines take, 4 or 8; 0 if the library doesn't reveal it. `find` returns
/// the address of a symbol of the library, or nullptr; `prefix` and `suffix` surround the names of its Fortran routines. Calls at most two
/// of the library's functions, in a way that is harmless for either width.
template <class Find>
int integer_bytes(const Find& find, std::string_view prefix, std::string_view suffix) {
  const auto fortran = [&](std::string_view routine) { return find(SymbolName(prefix, routine, suffix).c_str()); };
  if (void* dot = fortran("ddot")) {
    // With 32-bit integers n is 1; with 64-bit integers n is negative and the result is 0.
    const FortranInteger n = INT64_MIN + 1, increment = 1;
    const double one = 1;
    using Dot = double (*)(const FortranInteger*, const double*, const FortranInteger*, const double*, const FortranInteger*);
    return reinterpret_cast<Dot>(dot)(&n, &one, &increment, &one, &increment) == 0 ? 8 : 4;
  }
  if (void* version = fortran("ilaver")) {
    FortranInteger major = -1, minor = -1, patch = -1;  // a routine with 32-bit integers leaves the upper half of each -1 unchanged
    reinterpret_cast<void (*)(FortranInteger*, FortranInteger*, FortranInteger*)>(version)(&major, &minor, &patch);
    return major >= 0 ? 8 : 4;
  }
  for (const std::string_view c_suffix : c_suffixes) {
    if (void* config = find(SymbolName(prefix, "openblas_get_config", c_suffix).c_str())) {
      const char* text = reinterpret_cast<const char* (*)()>(config)();
      return text != nullptr && std::string_view(text).find("USE64BITINT") != std::string_view::npos ? 8 : 4;
    }
  }
  if (void* size = find("bli_info_get_blas_int_type_size")) {
    return reinterpret_cast<std::int64_t (*)()>(size)() == 64 ? 8 : 4;
  }
  return 0;
}

}  // namespace flopcast
