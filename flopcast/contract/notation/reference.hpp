#pragma once

#include <complex>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// C := beta C, element by element. With beta = 0, zeros are written whatever C holds.
void scale(const Contraction& contraction, void* c, std::complex<double> beta);

/// C := alpha A B + beta C by nested loops over all indices. This slow and obvious way is the reference for all others.
void contract_naively(const Contraction& contraction, const void* a, const void* b, void* c, std::complex<double> alpha = 1.0,
                      std::complex<double> beta = 0.0);

}  // namespace flopcast::contract
