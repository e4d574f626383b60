#pragma once

#include <string_view>
#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// Generalised symmetric-definite eigenproblem to standard form (sygst; hegst in complex precisions, as `family` says), B from potrf. itype
/// 1, A := L^-1 A L'^-1: five blocked variants in FLAME's numbering; 5 is LAPACK's (symm twice instead of an intermediate matrix). itype 2
/// and 3, A := L' A L: LAPACK's, under variant 5; the others throw bad_input. 1 and 2 need local memory for nb rows, 3 for a matrix, 4 for
/// nb columns.
std::vector<Algorithm> sygst_algorithms(std::string_view family);

}  // namespace flopcast::algorithm
