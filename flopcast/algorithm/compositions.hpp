#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// Algorithms of LAPACK that are sequences of others, which run as LAPACK's variants with the same block size, and end at the first info
/// that isn't 0:
/// potrs (two trsm), getrs (laswp, two trsm), potri (trtri, lauum), getri (trtri, then U^-1 L^-1 by columns, swaps), posv (potrf, potrs),
/// gesv (getrf, getrs), and potrf_sygst.
std::vector<Algorithm> composed_algorithms();

/// The reduction of A x = lambda B x (itype 1), A B x = lambda x (2) or B A x = lambda x (3) to standard form, which LAPACK has as the
/// first two calls of sygv only: B := L by potrf, then sygst or hegst. Info of potrf.
const Routine& potrf_sygst(Precision precision);

}  // namespace flopcast::algorithm
