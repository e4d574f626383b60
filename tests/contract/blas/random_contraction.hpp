#pragma once

#include <complex>
#include <cstddef>
#include <random>
#include <vector>

#include "flopcast/contract/contraction.hpp"

namespace flopcast::contract {

/// Real memory for the three tensors of a contraction, with random numbers in all of it, gaps included.
struct Buffers {
  std::vector<std::byte> a, b, c;
};
Buffers random_buffers(const Contraction& contraction, std::mt19937& random);

/// Largest difference of two buffers' elements (of the whole memory, so that writing into gaps shows).
double largest_difference(Precision precision, const std::vector<std::byte>& x, const std::vector<std::byte>& y);

/// What rounding may make of a sum of this length of products of numbers up to 1.
double tolerance(const Contraction& contraction);

/// Elements from the first to the last of a tensor.
std::size_t span_elements(const Tensor& tensor, const Extents& extents);

/// A contraction of `free_a`, `free_b`, `contracted` and `batch` indices in random order in every tensor, sizes from `smallest` to
/// `largest`; with `gaps`, strides leave room between elements.
Contraction random_contraction(std::mt19937& random, std::array<int, 4> counts, int smallest, int largest, bool gaps);

}  // namespace flopcast::contract
