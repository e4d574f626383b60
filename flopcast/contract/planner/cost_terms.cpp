#include "flopcast/contract/planner/cost_terms.hpp"

#include <algorithm>
#include <cstdint>

#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// Time per byte of memory where no bandwidth was measured: memory moves a double while a slow core does some ten flops.
constexpr Seconds unknown_memory = 1e-10, unknown_cache = unknown_memory / 3, unknown_inner_cache = unknown_memory / 10;

/// Number of lines that could have come in the additional time of a run's first lines. Runs of 3 lines took 1.57 times as long as long
/// ones, runs of 4.5 lines 1.35 times (a Zen 5, intensli3 of the TCCG suite from memory).
constexpr double lines_until_prefetched = 1.5;

Seconds inverse(double bandwidth, Seconds otherwise) { return bandwidth > 0 ? 1 / bandwidth : otherwise; }

}  // namespace

std::int64_t elements_per_line(Precision precision) { return cache_line_bytes / element_bytes(precision); }

double share_outside(double working_set_bytes, double capacity_bytes) {
  constexpr double surely_inside = 0.4, surely_outside = 0.9;  // bounds as for the segments of the paper's algorithms
  return std::clamp((working_set_bytes / capacity_bytes - surely_inside) / (surely_outside - surely_inside), 0.0, 1.0);
}

double product_factor(Precision precision) { return (is_complex(precision) ? 4.0 : 1.0) / (real_bytes(precision) == 4 ? 2 : 1); }

KernelRates rates_without_packing(const TileRates& rates, TileKernel kernel, Precision precision) {
  KernelRates own = rates.of(kernel);
  if (kernel != TileKernel::gemm) {  // their rates were measured with packing, which is counted separately
    own.per_a = own.per_b = 0;
  }
  own.per_product *= product_factor(precision);
  return own;
}

Seconds time_of_gemv(const TileRates& rates, Precision precision, bool along_sums, double rows, double sums) {
  const Seconds products = rows * sums * product_factor(precision) * rates.of_gemv(along_sums, rows);
  return products > 0 ? rates.of(TileKernel::gemm).call + products : 0;
}

Seconds product_along_batch(const TileRates& rates, Precision precision, bool is_contiguous, double batch) {
  constexpr double in_vectors = 2, one_by_one = 40;  // factors of the panel kernel's time for a product
  constexpr double vector = 8;                       // least batch that fills one
  const bool fills_vectors = is_contiguous && batch >= vector && !is_complex(precision);
  return rates.of(TileKernel::panels).per_product * product_factor(precision) * (fills_vectors ? in_vectors : one_by_one);
}

double fetching_factor(Precision precision, double wanted, double needed, double reach) {
  const double lines = std::max(1.0, reach / static_cast<double>(elements_per_line(precision)));
  return std::max(1.0, wanted / needed) * (1 + lines_until_prefetched / lines);
}

Seconds MemoryTimes::per_byte(double working_set_bytes) const {
  const std::vector<CacheLevel>& caches = environment_->caches;
  if (working_set_bytes <= inner_capacity()) {
    return 0;
  }
  if (caches.empty()) {
    return per_byte_of_memory();
  }
  const CacheLevel& last = caches.back();
  const Seconds from_cache = caches.size() == 1 ? 0 : inverse(share_.cache * last.bandwidth, unknown_cache);
  const double outside = share_outside(working_set_bytes, static_cast<double>(last.capacity_bytes));
  return (1 - outside) * from_cache + outside * per_byte_of_memory();
}

Seconds MemoryTimes::per_byte_inside(double working_set_bytes) const {
  const std::vector<CacheLevel>& caches = environment_->caches;
  for (std::size_t level = 0; level + 1 < caches.size(); ++level) {
    if (working_set_bytes <= static_cast<double>(caches[level].capacity_bytes)) {
      return level == 0 ? 0 : inverse(caches[level].bandwidth, unknown_inner_cache);
    }
  }
  return 0;
}

Seconds MemoryTimes::per_byte_of_memory() const { return inverse(share_.memory * environment_->memory_bandwidth, unknown_memory); }

double MemoryTimes::inner_capacity() const {
  const std::size_t levels = environment_->caches.size();
  return levels > 1 ? static_cast<double>(environment_->caches[levels - 2].capacity_bytes) : 0;
}

}  // namespace flopcast::contract
