#pragma once

#include <cstdint>

#include "flopcast/algorithm/partition.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// A matrix as an algorithm sees it: as it is stored, or its conjugate transpose. An algorithm written for a lower triangle L thereby also
/// works on a stored upper triangle U = L'.
struct View {
  Matrix stored;
  std::int64_t rows = 0, columns = 0;  ///< size of the matrix as seen
  bool is_adjoint = false;             ///< true if the matrix as seen is the conjugate transpose of the stored one

  [[nodiscard]] bool empty() const noexcept { return rows == 0 || columns == 0; }
  /// Returns the sub-matrix of these rows and columns, as seen.
  [[nodiscard]] View operator()(const Range& r, const Range& c) const noexcept {
    return {is_adjoint ? stored.at(c.begin, r.begin) : stored.at(r.begin, c.begin), r.size, c.size, is_adjoint};
  }
};

/// Returns the conjugate transpose.
[[nodiscard]] inline View adjoint(const View& a) noexcept { return {a.stored, a.columns, a.rows, !a.is_adjoint}; }

/// A triangle, or the stored half of a Hermitian matrix.
struct Triangle {
  View matrix;
  char uplo = 'L';  ///< stored half, as seen
  char diag = 'N';  ///< U: a diagonal of 1 that isn't stored

  [[nodiscard]] std::int64_t order() const noexcept { return matrix.rows; }
  [[nodiscard]] const Matrix& stored() const noexcept { return matrix.stored; }
  /// Returns which half of the stored matrix the triangle is.
  [[nodiscard]] char stored_uplo() const noexcept { return matrix.is_adjoint ? (uplo == 'L' ? 'U' : 'L') : uplo; }
};

/// Returns the conjugate transpose.
[[nodiscard]] inline Triangle adjoint(const Triangle& a) noexcept { return {adjoint(a.matrix), a.uplo == 'L' ? 'U' : 'L', a.diag}; }

/// A triangle cut into blocks: a(2, 1) is A21, a.diagonal(1) the triangle A11.
struct Blocks {
  Triangle whole;
  Cut cut;

  [[nodiscard]] View operator()(std::size_t i, std::size_t j) const { return whole.matrix(cut.at(i), cut.at(j)); }
  [[nodiscard]] Triangle diagonal(std::size_t i) const { return {(*this)(i, i), whole.uplo, whole.diag}; }
};

/// Returns the n x n operand `name` of a call with flag uplo, seen so that its lower half is stored: the matrix itself or its adjoint. The
/// upper forms of A = L L', L' L and L^-1 A L'^-1 are the same statements about the adjoint.
Triangle as_lower(const Call& call, std::string_view name);

// BLAS on views. Flags, sizes and strides are derived from the views; factors are real. An operation that changes nothing makes no call.

/// Treatment of an update by a product over no columns (k = 0, beta = 1): called or skipped. LAPACK's potrf calls it, which may take time.
enum class Idle { skip, call };

/// Computes c := alpha a b + beta c.
void gemm(const Script& script, double alpha, const View& a, const View& b, double beta, const View& c, Idle idle = Idle::skip);
/// Computes c := alpha a a' + beta c on one half of the Hermitian (or real symmetric) c.
void herk(const Script& script, double alpha, const View& a, double beta, const Triangle& c, Idle idle = Idle::skip);
/// Computes c := alpha (a b' + b a') + beta c on one half of the Hermitian c; a and b are both adjoint views or both not.
void her2k(const Script& script, double alpha, const View& a, const View& b, double beta, const Triangle& c);
/// Computes c := alpha a b + beta c (side L), or alpha b a + beta c (R), with Hermitian a; b and c are both adjoint views or both not.
void hemm(const Script& script, char side, double alpha, const Triangle& a, const View& b, double beta, const View& c);
/// Computes b := alpha a b (side L), or alpha b a (R), with triangular a.
void trmm(const Script& script, char side, double alpha, const Triangle& a, const View& b);
/// Computes b := alpha a^-1 b (side L), or alpha b a^-1 (R), with triangular a.
void trsm(const Script& script, char side, double alpha, const Triangle& a, const View& b);
/// Computes b += alpha a by rows or columns, whichever are fewer; a and b are both adjoint views or both not.
void axpy(const Script& script, double alpha, const View& a, const View& b);

}  // namespace flopcast::algorithm
