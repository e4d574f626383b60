#pragma once

#include <complex>
#include <cstddef>
#include <random>
#include <vector>

#include "flopcast/contract/notation/contraction.hpp"

namespace flopcast::contract {

/// Memory for the three tensors of a contraction, filled with random numbers, gaps included.
struct Buffers {
  std::vector<std::byte> a, b, c;
};
Buffers random_buffers(const Contraction& contraction, std::mt19937& random);

/// Returns the largest difference between two buffers' elements. All of the memory counts, so that writes into gaps are found.
double largest_difference(Precision precision, const std::vector<std::byte>& x, const std::vector<std::byte>& y);

/// Returns the largest error that rounding may cause in a contraction's sums of products of numbers up to 1.
double tolerance(const Contraction& contraction);

/// C := alpha A B + beta C by nested loops over all indices. This slow and obvious way is the reference for all others.
void contract_naively(const Contraction& contraction, const void* a, const void* b, void* c, std::complex<double> alpha = 1.0,
                      std::complex<double> beta = 0.0);

/// Returns the number of elements from the first to the last element of a tensor.
std::size_t span_elements(const Tensor& tensor, const Extents& extents);

/// Returns a contraction with `counts` indices of the roles free in A, free in B, contracted and batch. Their order in each tensor, the
/// precision and the memory order are random; sizes are between `smallest` and `largest`. With `gaps`, strides leave room between elements.
Contraction random_contraction(std::mt19937& random, std::array<int, 4> counts, int smallest, int largest, bool gaps);

}  // namespace flopcast::contract
