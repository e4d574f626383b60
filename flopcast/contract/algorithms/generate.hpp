#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/contract/algorithms/algorithm.hpp"

namespace flopcast::contract {

/// Returns the number of algorithms that generate() would return, without making them.
double algorithm_count(const Contraction& contraction, std::span<const Kernel> kernels = {});

/// Returns every BLAS-based algorithm of a contraction (paper 002, section 2 and table 1): every choice of the kernel's indices, and for
/// each choice every order of the loops over all other indices. Copies stand as far outside as their operand's indices allow. If all
/// indices are batch indices, or there are none, no kernel has an index to work along; the algorithm is then an axpy on one element.
///
/// `kernels` restricts the kernels; empty: all. The algorithms are ordered by kernel (dot, axpy, gemv, ger, gemm), then by kernel indices,
/// then by loops. Throws bad_input if there are more than `most`, or if a stride is not positive (a BLAS vector would start at its other
/// end).
std::vector<Algorithm> generate(const Contraction& contraction, std::span<const Kernel> kernels = {}, double most = 1e6);

/// Returns the algorithms of these kernels (empty: all), or the one called `name`. Throws bad_input if there is none, or an index has size 0.
std::vector<Algorithm> choose_algorithms(const Contraction& contraction, std::span<const Kernel> kernels, const std::string& name = {});

/// Adds the copies to an algorithm of which the kernel, the kernel indices and the loops are given.
Algorithm with_copies(Algorithm algorithm, const Contraction& contraction);

/// Returns the algorithm of this name, e.g. "ci'-gemm". Throws bad_input with the nearest names if no algorithm has it.
Algorithm find_algorithm(const std::string& name, std::span<const Algorithm> algorithms);

}  // namespace flopcast::contract
