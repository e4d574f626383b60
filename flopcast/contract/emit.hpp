#pragma once

#include <span>
#include <string>

#include "flopcast/contract/algorithm.hpp"

namespace flopcast::contract {

enum class Language : std::uint8_t { c, cpp };

/// Name of the emitted function, e.g. contract_cj_gemm for cj'-gemm (copies follow from the rest of the name).
std::string function_name(const Algorithm& algorithm);

/// A source file with one function per algorithm, which calls CBLAS and needs nothing of flopcast:
///     int contract_c_gemm(size_t n_a, size_t n_b, size_t n_c, size_t n_i, const double *A, const double *B, double *C)
/// computes C := A B on dense tensors and returns 0, or 1 where memory for a copy isn't there (C is then left alone). Sizes come in the
/// order of the contraction's indices: those of C, then the contracted ones. Strides of the user's are written out as numbers.
std::string emit(std::span<const Algorithm> algorithms, const Contraction& contraction, Language language);

}  // namespace flopcast::contract
