#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// Inverse of a triangular matrix (trtri): eight blocked variants in FLAME's numbering (paper 000, section 4) and the recursion. The upper
/// triangle is the lower one seen from its end. Variant 5 is LAPACK's; 4 and 8 do three times the operations. Info: 0, or the first zero on
/// the diagonal, counted from 1.
std::vector<Algorithm> trtri_algorithms();

}  // namespace flopcast::algorithm
