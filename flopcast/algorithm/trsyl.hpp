#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// Sylvester equation op(A) X + isgn X op(B) = scale C (trsyl) with (quasi-)triangular A and B. FLAME's updates 15 (lazy) and 16 (eager) go
/// along A, 17 (lazy) and 18 (eager) along B, one inside the other. "15-17" goes through A outside and through B inside, "17-15" the other
/// way round. There are 8 complete algorithms, and the recursion. LAPACK's trsyl isn't blocked; the default 16-18 has the updates of its
/// trsyl3. Blocks never cut through a 2 x 2 block of a real Schur form, which is one row longer then; a recording takes A and B for
/// triangular. Info: 1 if eigenvalues were perturbed.
std::vector<Algorithm> trsyl_algorithms();

}  // namespace flopcast::algorithm
