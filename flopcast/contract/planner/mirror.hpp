#pragma once

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// Returns whether A B is a symmetric matrix if A and B are the same tensor at the same address, which BLAS calls syrk. M and N then run
/// through the tensor alike, and so does K in A and B.
bool is_symmetric_of_one(const Folded& folded);

/// C(i, j) := C(j, i) for all i < j of every element of the batch. Requires is_symmetric_of_one().
void mirror(const Folded& folded, void* c);

}  // namespace flopcast::contract
