#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flopcast/core/routine.hpp"

/// The vocabulary in which the catalogue's tables (blas1.cpp, blas2.cpp, blas3.cpp, lapack*.cpp) are written.
namespace flopcast::kernel {

/// Layout of an operand, with its extents as formulae over the routine's sizes and flags.
struct OperandLayout {
  Form form = Form::full;
  std::string rows, columns, lower, upper;
  std::string uplo;            ///< name of the flag for the triangle, or "U"/"L" for a fixed triangle
  std::string diag;            ///< name of the flag N/U, or empty
  std::string storev, direct;  ///< names of flags, or empty for column-wise and forward
  std::string offset, column_offset;
  std::string skipped;  ///< formula of the value that a call that isn't executed leaves in each element
  /// Returns the same shape, shifted by `first` elements (of a vector) or by `first` rows and `first_column` columns (of a matrix).
  [[nodiscard]] OperandLayout from(std::string first, std::string first_column = "") const;
};

OperandLayout one();
OperandLayout vec(std::string n);
OperandLayout full(std::string rows, std::string columns);
OperandLayout triangle(std::string n, std::string uplo = "uplo", std::string diag = "");
OperandLayout trapezoid(std::string rows, std::string columns, std::string uplo);
OperandLayout end_trapezoid(std::string rows, std::string columns, std::string uplo);
/// Layout of a Hessenberg reduction. `low` and `high` count from 1, as LAPACK's ilo and ihi. Columns `low` to `high` have all `high` rows,
/// except for the first one, which has the rows below `low` only, as do the columns after `high`.
OperandLayout hessenberg(std::string low, std::string high, std::string columns);
OperandLayout packed(std::string n, std::string uplo = "uplo", std::string diag = "");
OperandLayout band(std::string rows, std::string columns, std::string lower, std::string upper);
OperandLayout band_triangle(std::string n, std::string off_diagonals, std::string uplo = "uplo", std::string diag = "");
OperandLayout reflectors(std::string length, std::string count, std::string storev = "", std::string direct = "");

/// One argument of an entry. The modifiers return a changed copy: in("A", full("m", "k")).with(Fill::triangular).
struct Item {
  Argument argument;
  OperandLayout shape;
  [[nodiscard]] Item with(Fill fill) const;
  [[nodiscard]] Item as_real() const;                     ///< real elements even in a complex routine
  [[nodiscard]] Item as_integer() const;                  ///< integers
  [[nodiscard]] Item skipped(double value) const;         ///< value that a skipped call leaves behind: a whole number ...
  [[nodiscard]] Item skipped(std::string formula) const;  ///< ... or one that follows from the sizes; of integers, on average
  [[nodiscard]] Item at_least(std::string rows) const;    ///< legal minimum of a leading dimension, if it isn't the rows of its operand
  [[nodiscard]] Item usually(std::string formula) const;  ///< default of a size or number that isn't given
};

Item flag(std::string name, std::string values);
Item uplo();
Item side();
Item diag();
Item sign(std::string name, std::string values);
Item size(std::string name);
Item scalar(std::string name);
Item real_scalar(std::string name);
Item in(std::string name, OperandLayout shape);
Item out(std::string name, OperandLayout shape);
Item update(std::string name, OperandLayout shape);
Item work(std::string name, OperandLayout shape);
Item pivots(std::string name, OperandLayout shape, Access access = Access::write);
Item ld(std::string name);                               ///< leading dimension of the operand before it
Item inc(std::string name);                              ///< increment of the operand before it
Item work_size(std::string name, std::string suffices);  ///< size of the work argument before it; `suffices` is a formula
Item info();
/// Work space of which lwork, the argument behind it, says the size.
Item work_of_size();
/// Size of work space of 512 elements for each of `lines`, which suffices for any reasonable block size.
Item block_work(const std::string& lines);

/// One routine in all its precisions.
struct Entry {
  /// Names with their precisions: "sdcz" + "gemm" gives sgemm, dgemm, cgemm, zgemm; {"sdsdot", Precision::s} names one.
  struct Name {
    std::string name;
    Precision precision;
  };
  std::vector<Name> names;
  std::string family;
  std::string operation;
  std::vector<Item> items;
  std::string multiplications, additions;
  Returns returns = Returns::nothing;
  bool double_result = false;
  std::vector<std::string> constraints;  ///< relations such as "m >= n"

  /// Returns the same entry with added constraints, without which a call is illegal.
  [[nodiscard]] Entry requiring(std::vector<std::string> relations) const;
};

/// Returns the names sgemm, dgemm, ... for the letters in `precisions`.
std::vector<Entry::Name> names(std::string_view precisions, std::string_view family);

/// Resolves names to indices and compiles formulae: one Routine per name. Throws internal_error if the entry is inconsistent.
std::vector<Routine> routines(const Entry& entry);

/// Entries of the tables.
std::vector<Entry> blas1_entries();
std::vector<Entry> blas2_entries();
std::vector<Entry> blas3_entries();
std::vector<Entry> lapack_entries();
std::vector<Entry> lapack_qr_entries();
std::vector<Entry> lapack_pentagonal_entries();
std::vector<Entry> lapack_orthogonal_entries();
std::vector<Entry> lapack_symmetric_entries();
std::vector<Entry> lapack_twosided_entries();
std::vector<Entry> lapack_norm_entries();
std::vector<Entry> lapack_pivoting_entries();
std::vector<Entry> lapack_spectral_entries();

}  // namespace flopcast::kernel
