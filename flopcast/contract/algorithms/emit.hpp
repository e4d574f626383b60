#pragma once

#include <span>
#include <string>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {

enum class Language : std::uint8_t { c, cpp };

/// Returns the name of the emitted function, e.g. contract_cj_gemm for cj'-gemm. The name omits the apostrophes, because copies follow from
/// the rest.
std::string function_name(const Algorithm& algorithm);

/// Returns a source file with one function per algorithm, which calls CBLAS and doesn't depend on flopcast. For example,
/// int contract_c_gemm(size_t n_a, size_t n_b, size_t n_c, size_t n_i, const double *A, const double *B, double *C)
/// computes C := A B on dense tensors. The function returns 0, or 1 if memory for a copy isn't available; C is then unchanged. Sizes come
/// in the order of the contraction's indices: those of C, then the contracted ones. User-defined strides are written out as numbers.
std::string emit(std::span<const Algorithm> algorithms, const Contraction& contraction, Language language);

}  // namespace flopcast::contract
