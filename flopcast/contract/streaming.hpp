#pragma once

#include <cstdint>

namespace flopcast::contract {

/// Longest sums that the streaming kernel is made for.
inline constexpr std::int64_t longest_streamed_sum = 32;

/// Whether this CPU has what the streaming kernel needs (AVX2 with FMA).
bool can_stream();

/// C(m, n) := A(m, k) B(k, n) for small k, C being written past the caches (non-temporal stores): where a product writes far more than it
/// reads, that saves reading C's lines before overwriting them. A is dense (leading dimension `rows`), B's column j begins at b + j*ldb,
/// C's at c + j*ldc; both contiguous. Requires can_stream(). Call finish_streaming() before other threads read C.
void stream_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double alpha, const double* a, const double* b,
                    std::int64_t ldb, double* c, std::int64_t ldc);

/// Makes all streamed stores of this thread visible.
void finish_streaming();

}  // namespace flopcast::contract
