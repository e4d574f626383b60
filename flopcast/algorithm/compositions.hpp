#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// LAPACK algorithms that are sequences of other algorithms. These run as LAPACK's variants with the same block size. A sequence ends at
/// the first info that isn't 0.
/// The sequences: potrs (two trsm), getrs (laswp, two trsm), potri (trtri, lauum), getri (trtri, then U^-1 L^-1 by columns, swaps), posv
/// (potrf, potrs), gesv (getrf, getrs), and potrf_sygst.
std::vector<Algorithm> composed_algorithms();

/// Reduction of A x = lambda B x (itype 1), A B x = lambda x (2) or B A x = lambda x (3) to standard form. B := L by potrf, then sygst or
/// hegst follow, as in the first two calls of LAPACK's sygv. Returns the info of potrf.
const Routine& potrf_sygst(Precision precision);

}  // namespace flopcast::algorithm
