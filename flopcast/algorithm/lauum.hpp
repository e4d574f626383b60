#pragma once

#include <vector>

#include "flopcast/algorithm/algorithm.hpp"

namespace flopcast::algorithm {

/// A := L' L or U U' (lauum): three blocked variants in FLAME's numbering; 2 is LAPACK's.
std::vector<Algorithm> lauum_algorithms();

}  // namespace flopcast::algorithm
