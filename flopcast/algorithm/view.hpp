#pragma once

#include <cstdint>

#include "flopcast/algorithm/partition.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// A matrix as an algorithm sees it: as it is stored, or its conjugate transpose. An algorithm written for a lower triangle L thus works on
/// a stored upper triangle U = L' too.
struct View {
  Matrix stored;
  std::int64_t rows = 0, columns = 0;  ///< as seen
  bool is_adjoint = false;             ///< whether what is seen is the conjugate transpose of what is stored

  [[nodiscard]] bool empty() const noexcept { return rows == 0 || columns == 0; }
  /// The sub-matrix of these rows and columns, as seen.
  [[nodiscard]] View operator()(const Range& r, const Range& c) const noexcept {
    return {is_adjoint ? stored.at(c.begin, r.begin) : stored.at(r.begin, c.begin), r.size, c.size, is_adjoint};
  }
};

/// The conjugate transpose.
[[nodiscard]] inline View adjoint(const View& a) noexcept { return {a.stored, a.columns, a.rows, !a.is_adjoint}; }

/// A triangle, or the half of a Hermitian matrix that is stored.
struct Triangle {
  View matrix;
  char uplo = 'L';  ///< which half is meant, as seen
  char diag = 'N';  ///< U: a diagonal of 1 that isn't stored

  [[nodiscard]] std::int64_t order() const noexcept { return matrix.rows; }
  [[nodiscard]] const Matrix& stored() const noexcept { return matrix.stored; }
  /// Which half of the stored matrix it is.
  [[nodiscard]] char stored_uplo() const noexcept { return matrix.is_adjoint ? (uplo == 'L' ? 'U' : 'L') : uplo; }
};

/// The conjugate transpose.
[[nodiscard]] inline Triangle adjoint(const Triangle& a) noexcept { return {adjoint(a.matrix), a.uplo == 'L' ? 'U' : 'L', a.diag}; }

/// A triangle cut into blocks: a(2, 1) is A21, a.diagonal(1) the triangle A11.
struct Blocks {
  Triangle whole;
  Cut cut;

  [[nodiscard]] View operator()(std::size_t i, std::size_t j) const { return whole.matrix(cut.at(i), cut.at(j)); }
  [[nodiscard]] Triangle diagonal(std::size_t i) const { return {(*this)(i, i), whole.uplo, whole.diag}; }
};

/// The n x n operand `name` of a call with flag uplo, seen such that its lower half is stored: as it is, or its adjoint. Of A = L L', L' L
/// or L^-1 A L'^-1 the form with upper triangles is the same statement about the adjoint.
Triangle as_lower(const Call& call, std::string_view name);

// BLAS on views. Flags, sizes and strides follow from the views; factors are real. An operation that changes nothing makes no call.

/// What to do about an update by a product over no columns (k = 0, beta = 1): potrf of LAPACK calls it, and it may take time.
enum class Idle { skip, call };

/// c := alpha a b + beta c.
void gemm(const Script& script, double alpha, const View& a, const View& b, double beta, const View& c, Idle idle = Idle::skip);
/// c := alpha a a' + beta c on one half of the Hermitian (or real symmetric) c.
void herk(const Script& script, double alpha, const View& a, double beta, const Triangle& c, Idle idle = Idle::skip);
/// c := alpha (a b' + b a') + beta c on one half of the Hermitian c; a and b are both adjoint views or both not.
void her2k(const Script& script, double alpha, const View& a, const View& b, double beta, const Triangle& c);
/// c := alpha a b + beta c (side L), or alpha b a + beta c (R), with a Hermitian a; b and c are both adjoint views or both not.
void hemm(const Script& script, char side, double alpha, const Triangle& a, const View& b, double beta, const View& c);
/// b := alpha a b (side L), or alpha b a (R).
void trmm(const Script& script, char side, double alpha, const Triangle& a, const View& b);
/// b := alpha a^-1 b (side L), or alpha b a^-1 (R).
void trsm(const Script& script, char side, double alpha, const Triangle& a, const View& b);
/// b += alpha a, by rows or columns, whichever are fewer; a and b are both adjoint views or both not.
void axpy(const Script& script, double alpha, const View& a, const View& b);

}  // namespace flopcast::algorithm
