#pragma once

#include <vector>

#include "tests/kernel/reference/dense.hpp"

/// Eigenvalues and singular values by the methods of Jacobi and by plain QR iteration: slow, short, and independent of LAPACK.
namespace flopcast::kernel::reference {

/// A = vectors diag(values) vectors^H, values ascending.
struct HermitianEigen {
  std::vector<double> values;
  Dense vectors;
};
HermitianEigen hermitian_eigen(const Dense& a);

/// A = left diag(values) right^H, values descending; left is m x min(m,n), right n x min(m,n).
struct SingularValues {
  std::vector<double> values;
  Dense left, right;
};
SingularValues singular_values(const Dense& a);

/// Returns `columns`, which are orthonormal, with further columns that complete a basis.
Dense completed_basis(const Dense& columns);

/// Returns the eigenvalues of a square matrix, each as often as its multiplicity.
std::vector<Complex> eigenvalues(const Dense& a);
/// Returns x of unit length with A x = value x.
Dense eigenvector(const Dense& a, Complex value);

/// Returns the X of least norm that minimises |A X - B|; A has full rank.
Dense least_norm_solution(const Dense& a, const Dense& b);

}  // namespace flopcast::kernel::reference
