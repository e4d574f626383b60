#include "flopcast/contract/kernels/streaming.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include "flopcast/contract/kernels/cache_lines.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flopcast::contract {

#if defined(__x86_64__)
namespace {

constexpr std::int64_t width = 4;  // doubles per register

/// Returns four rows of a column's sums.
__attribute__((target("avx2,fma"))) inline __m256d sums_of_four(std::int64_t rows, std::int64_t depth, const double* a, const double* b) {
  __m256d sum = _mm256_setzero_pd();
  for (std::int64_t k = 0; k < depth; ++k) {
    sum = _mm256_fmadd_pd(_mm256_loadu_pd(a + k * rows), _mm256_broadcast_sd(b + k), sum);
  }
  return sum;
}

/// Computes rows that are not streamed: those in lines that the column shares with others.
__attribute__((target("avx2,fma"))) void plain_rows(std::int64_t first, std::int64_t last, std::int64_t rows, std::int64_t depth,
                                                    const double* a, const double* b, double* c) {
  std::int64_t i = first;
  for (; i + width <= last; i += width) {
    _mm256_storeu_pd(c + i, sums_of_four(rows, depth, a + i, b));
  }
  for (; i < last; ++i) {
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      sum += a[i + k * rows] * b[k];
    }
    c[i] = sum;
  }
}

/// Returns the range of rows of a column that are streamed. A line that is streamed only in part costs more than either way. So if a column
/// begins or ends within a register, which the neighbouring column can't stream either, the whole line is skipped.
std::pair<std::int64_t, std::int64_t> streamed_rows(std::int64_t rows, const double* c) {
  const auto begins_register = [](const double* at) { return reinterpret_cast<std::uintptr_t>(at) % (width * sizeof(double)) == 0; };
  const std::int64_t first = begins_register(c) ? 0 : before_line(c);
  const std::int64_t last = rows - (begins_register(c + rows) ? 0 : line_elements<double> - before_line(c + rows));
  return lies_along_lines(c) && first < last ? std::pair{first, last} : std::pair{rows, rows};
}

/// Computes one column. Four registers of rows at a time keep the multipliers busy.
__attribute__((target("avx2,fma"))) void stream_column(std::int64_t rows, std::int64_t depth, const double* a, const double* b, double* c) {
  const auto [first, last] = streamed_rows(rows, c);
  plain_rows(0, first, rows, depth, a, b, c);
  std::int64_t i = first;
  for (; i + 4 * width <= last; i += 4 * width) {
    __m256d sum0 = _mm256_setzero_pd(), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const __m256d factor = _mm256_broadcast_sd(b + k);
      const double* from = a + i + k * rows;
      sum0 = _mm256_fmadd_pd(_mm256_loadu_pd(from), factor, sum0);
      sum1 = _mm256_fmadd_pd(_mm256_loadu_pd(from + width), factor, sum1);
      sum2 = _mm256_fmadd_pd(_mm256_loadu_pd(from + 2 * width), factor, sum2);
      sum3 = _mm256_fmadd_pd(_mm256_loadu_pd(from + 3 * width), factor, sum3);
    }
    _mm256_stream_pd(c + i, sum0);
    _mm256_stream_pd(c + i + width, sum1);
    _mm256_stream_pd(c + i + 2 * width, sum2);
    _mm256_stream_pd(c + i + 3 * width, sum3);
  }
  for (; i < last; i += width) {
    _mm256_stream_pd(c + i, sums_of_four(rows, depth, a + i, b));
  }
  plain_rows(last, rows, rows, depth, a, b, c);
}

}  // namespace

bool can_stream() { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0; }

void stream_product(std::int64_t rows, std::int64_t columns, std::int64_t depth, double alpha, const double* a, const double* b,
                    std::int64_t ldb, double* c, std::int64_t ldc) {
  std::array<double, longest_streamed_sum> scaled{};
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t k = 0; k < depth; ++k) {
      scaled[static_cast<std::size_t>(k)] = alpha * b[k + j * ldb];
    }
    stream_column(rows, depth, a, scaled.data(), c + j * ldc);
  }
}

void finish_streaming() { _mm_sfence(); }
#else
bool can_stream() { return false; }
void stream_product(std::int64_t, std::int64_t, std::int64_t, double, const double*, const double*, std::int64_t, double*, std::int64_t) {}
void finish_streaming() {}
#endif

}  // namespace flopcast::contract
