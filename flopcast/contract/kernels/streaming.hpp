#pragma once

#include <cstdint>

namespace flopcast::contract {

/// Length of the longest sums that the streaming kernel can compute.
inline constexpr std::int64_t longest_streamed_sum = 32;

/// Returns whether this CPU has the instructions of the streaming kernel (AVX2 with FMA).
bool can_stream();

/// C(m, n) := alpha A(m, k) B(k, n) for small k, with C written past the caches (non-temporal stores). If a product writes far more than it
/// reads, this saves reading C's lines before they are overwritten.
///
/// A is dense with leading dimension `rows`. B's column j begins at b + j*ldb, C's at c + j*ldc; both are contiguous. Requires can_stream()
/// and depth <= longest_streamed_sum. finish_streaming() must be called before other threads read C.
void stream_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double alpha, const double* a, const double* b,
                    std::int64_t ldb, double* c, std::int64_t ldc);

/// Makes all streamed stores of this thread visible to other threads.
void finish_streaming();

}  // namespace flopcast::contract
