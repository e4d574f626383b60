#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// LU factorisation (getrf) in FLAME's numbering. With partial pivoting A = P L U: 3 (left-looking), 4 (Crout), 5 (right-looking, LAPACK's)
/// and the recursion. The row swaps of a panel are applied to the other columns, and a recording takes every pivot to lie on the diagonal.
/// Without pivoting A = L U: nopivot-1 ... nopivot-5, with diagonal blocks by scal and ger; they leave ipiv[i] = i and end at a zero pivot.
/// Info is 0, or the number of the first pivot that is zero.
std::vector<Algorithm> getrf_algorithms();

}  // namespace flopcast::algorithm
