#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// Cholesky factorisation A = L L' or U' U (potrf): three blocked variants in FLAME's numbering (paper 000, section 1) and the recursion.
/// Variant 2, left-looking on the diagonal block, is LAPACK's (syrk or herk, potrf2, gemm, trsm). Info: 0, or the order of the leading
/// minor that is not positive definite.
std::vector<Algorithm> potrf_algorithms();

}  // namespace flopcast::algorithm
