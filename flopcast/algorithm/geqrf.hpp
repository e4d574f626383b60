#pragma once

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// QR factorisation as LAPACK's xGEQRF does it: right-looking, panels of nb columns (geqr2), each applied to the columns on its right (larft, larfb), the
/// last nx columns or more unblocked. `call` is a call of geqrf: it gives m, n, lda, lwork and where A, tau and work lie. Returns info.
std::int32_t geqrf(const Call& call, const BlockParameters& blocks, const Script& script);

}  // namespace flopcast::algorithm
