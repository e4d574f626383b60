#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/contract/algorithm.hpp"

namespace flopcast::contract {

/// How many algorithms generate() gives, without making them.
double algorithm_count(const Contraction& contraction, std::span<const Kernel> kernels = {});

/// Every BLAS-based algorithm of a contraction (paper 002, section 2 and table 1): every choice of the kernel's indices, and for each every
/// order of the loops over all others. Copies stand as far out as their operand's indices allow. With only batch indices, or none, no
/// kernel has an index to work along: then it is axpy on one element.
///
/// `kernels` restricts to some; empty: all. They come by kernel (dot, axpy, gemv, ger, gemm), then by kernel indices, then by loops. Throws
/// bad_input if there are more than `most`, or if a stride of A or B is not positive (a vector of BLAS would start at its other end).
std::vector<Algorithm> generate(const Contraction& contraction, std::span<const Kernel> kernels = {}, double most = 1e6);

/// Completes an algorithm of which kernel, kernel indices and loops are given: the copies it needs.
Algorithm with_copies(Algorithm algorithm, const Contraction& contraction);

/// The algorithm of that name, e.g. "ci'-gemm"; throws bad_input with the nearest names if there is none.
Algorithm find_algorithm(const std::string& name, std::span<const Algorithm> algorithms);

}  // namespace flopcast::contract
