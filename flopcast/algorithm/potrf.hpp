#pragma once

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/algorithm/script.hpp"

namespace flopcast::algorithm {

/// Cholesky factorisation as LAPACK's xPOTRF does it (variant 2, left-looking on the diagonal block: syrk or herk, potrf2, gemm, trsm). `call` is a call
/// of potrf: it gives uplo, n, lda and where A lies. Returns info: 0, or the order of the leading minor that is not positive definite.
std::int32_t potrf(const Call& call, const BlockParameters& blocks, const Script& script);

}  // namespace flopcast::algorithm
