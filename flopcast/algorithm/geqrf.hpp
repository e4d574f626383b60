#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// QR factorisation (geqrf), any shape. right-looking is LAPACK's: panels of nb columns (geqr2), each applied to the columns on its right
/// (larft, larfb), the last nx columns or more unblocked. recursive-panel: the same with geqrt3, which gives the triangular factor with the
/// panel. left-looking: all earlier panels are applied to a panel before it is factored; their triangular factors stay in work, nb (n + nb)
/// elements for full blocks.
std::vector<Algorithm> geqrf_algorithms();

}  // namespace flopcast::algorithm
