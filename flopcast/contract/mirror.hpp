#pragma once

#include "flopcast/contract/folded.hpp"

namespace flopcast::contract {

/// Whether A B is a symmetric matrix if A and B are the same tensor at the same address (what BLAS calls syrk): M and N run through it
/// alike, and so does K.
bool is_symmetric_of_one(const Folded& folded);

/// C(i, j) := C(j, i) for all i < j of every element of the batch. Requires is_symmetric_of_one().
void mirror(const Folded& folded, void* c);

}  // namespace flopcast::contract
