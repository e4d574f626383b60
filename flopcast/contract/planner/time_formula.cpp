#include "flopcast/contract/planner/time_formula.hpp"

#include <algorithm>
#include <cstdint>

#include "flopcast/contract/planner/panels.hpp"
#include "flopcast/support/division.hpp"

namespace flopcast::contract {
namespace {

/// Time per byte of memory where no bandwidth was measured: memory moves a double while a slow core does some ten flops.
constexpr Seconds unknown_memory = 1e-10, unknown_cache = unknown_memory / 3, unknown_inner_cache = unknown_memory / 10;

/// Number of lines that could have come in the additional time of a run's first lines. Runs of 3 lines took 1.57 times as long as long
/// ones, runs of 4.5 lines 1.35 times (a Zen 5, intensli3 of the TCCG suite from memory).
constexpr double lines_until_prefetched = 1.5;

Seconds inverse(double bandwidth, Seconds otherwise) { return bandwidth > 0 ? 1 / bandwidth : otherwise; }

/// Returns the rates of a kernel for a precision, without packing.
KernelRates rates_without_packing(const TileRates& rates, TileKernel kernel, Precision precision) {
  KernelRates own = rates.of(kernel);
  if (kernel != TileKernel::gemm) {  // their rates were measured with packing, which is counted separately
    own.per_a = own.per_b = 0;
  }
  own.per_product *= product_factor(precision);
  return own;
}

/// Returns the time for moving `bytes` of an operand: from its tensor at `outer` per byte, then at `again`. Kept tiles are also written there.
Seconds moving_operand(double bytes, const TiledWork::OperandWork& operand, Seconds outer, const MemoryTimes& memory) {
  const double once = operand.fetching, once_more = operand.is_always_packed ? 1 : once, kept = operand.keeps ? 1 : 0;
  const double again = operand.again * once_more + kept;
  return bytes * (once * outer + (again > 0 ? again * memory.per_byte(operand.working_set_bytes) : 0));
}

}  // namespace

std::int64_t elements_per_line(Precision precision) { return cache_line_bytes / element_bytes(precision); }

double share_outside(double working_set_bytes, double capacity_bytes) {
  constexpr double surely_inside = 0.4, surely_outside = 0.9;  // bounds as for the segments of the paper's algorithms
  return std::clamp((working_set_bytes / capacity_bytes - surely_inside) / (surely_outside - surely_inside), 0.0, 1.0);
}

double product_factor(Precision precision) { return (is_complex(precision) ? 4.0 : 1.0) / (real_bytes(precision) == 4 ? 2 : 1); }

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

TimeFormula::TimeFormula(const TileRates& rates, Precision precision)
    : rates_(&rates),
      kernels_{rates_without_packing(rates, TileKernel::gemm, precision), rates_without_packing(rates, TileKernel::panels, precision),
               rates_without_packing(rates, TileKernel::streaming, precision)},
      precision_(precision),
      element_bytes_(static_cast<double>(element_bytes(precision))),
      few_(static_cast<double>(panel_size(precision).columns)) {}

/// A single column goes to gemv, whose time includes reading A from L2; 0 for other tiles, or where that wasn't measured. A contraction with a
/// single row is folded the other way round.
Seconds TimeFormula::gemv_time(const TiledWork& work) const {
  if (work.kernel != TileKernel::gemm || work.n > work.n_tiles) {
    return 0;
  }
  const double rows = work.m / work.m_tiles, depth = work.k / work.k_tiles;
  const Seconds products = rows * depth * product_factor(precision_) * rates_->of_gemv(work.is_along_sums, rows);
  return products > 0 ? rates_->of(TileKernel::gemm).call + products : 0;
}

/// Multiplying all tiles of one tile of K: by the kernel's rates, and what the panel kernel loses where panels are small, and where those of
/// B conflict in L1.
Seconds TimeFormula::multiplying(const TiledWork& work, Seconds by_gemv) const {
  const double rows = work.m / work.m_tiles, columns = work.n / work.n_tiles, depth = work.k / work.k_tiles;
  const KernelRates& rates = kernels_[static_cast<std::size_t>(work.kernel)];
  const Seconds tile = by_gemv > 0 ? by_gemv : rates.of(rows, columns, depth);
  const Seconds all = work.batch * work.m_tiles * work.n_tiles * tile;
  const double beside = work.kernel == TileKernel::panels ? work.panel_products - work.m * work.n : 0;
  return all + work.conflicts + work.batch * rates.per_product * beside * depth;
}

/// Moving A, B, and in `c` that of the first tile of K. Data come from outside of the private caches: A once per tile of N, unless it stays
/// inside or the loop over N is innermost, B likewise.
ExpectedTime::Parts TimeFormula::moving(const TiledWork& work, const MemoryTimes& memory, bool by_gemv) const {
  const double depth = work.k / work.k_tiles, bytes = work.batch * element_bytes_;
  const double a_bytes = bytes * work.m * depth, b_bytes = bytes * depth * work.n, c_bytes = bytes * work.m * work.n;
  const Seconds outer = memory.per_byte(work.working_set_bytes);
  ExpectedTime::Parts parts;
  parts.a = moving_operand(a_bytes, work.a, outer, memory);
  parts.b = moving_operand(b_bytes, work.b, outer, memory);
  // Kernels' rates were measured on tiles that use A and B repeatedly. With few columns or rows, the other operand comes from L2 only once.
  const Seconds inside = work.kernel == TileKernel::streaming ? 0 : memory.per_byte_inside(work.working_set_bytes);
  parts.a += work.n / work.n_tiles < few_ && !by_gemv ? a_bytes * inside : 0;
  parts.b += work.m / work.m_tiles < few_ ? b_bytes * inside : 0;
  // gemm clears a large C before it adds to it, and reads it once more.
  const bool passes_twice = work.kernel == TileKernel::gemm && work.tile_elements * element_bytes_ > memory.inner_capacity() / 2;
  const Seconds kept = work.c.keeps ? memory.per_byte(work.c.working_set_bytes) : 0;  // buffers that don't stay inside
  const bool streams = work.kernel == TileKernel::streaming || work.streams_c;
  parts.c = c_bytes * ((streams ? memory.per_byte_of_memory() : 2 * outer) + (passes_twice ? outer : 0) + kept);
  return parts;
}

ExpectedTime TimeFormula::time_along_batch(const TiledWork& work, const MemoryTimes& memory) const {
  const Seconds outer = memory.per_byte(work.working_set_bytes) * element_bytes_ * work.batch;
  ExpectedTime time;
  time.first.inside.kernel = work.batch * (work.m * work.n * work.k + 2 * work.m * work.n) * work.along_batch / work.at_once;
  time.first.moving = outer / work.at_once * ExpectedTime::Parts{0, work.m * work.k, work.k * work.n, 2 * work.m * work.n};
  return time;
}

ExpectedTime TimeFormula::time(const TiledWork& work, const MemoryTimes& memory) const {
  ExpectedTime time;
  if (work.kernel == TileKernel::batch) {
    time = time_along_batch(work, memory);
  } else {
    const bool is_gemm = work.kernel == TileKernel::gemm;
    const double depth = work.k / work.k_tiles, elements = work.batch * work.m * work.n;
    const Seconds by_gemv = gemv_time(work);
    ExpectedTime::Share slab;  // all tiles of one tile of K
    slab.inside.kernel = multiplying(work, by_gemv) * (is_gemm && rates_->gemm_takes_turns ? work.at_once : 1);  // the others wait
    slab.inside.a = work.batch * work.m * depth * work.a.packing * std::max(work.a.packings, work.a.packers);
    slab.inside.b = work.batch * work.n * depth * work.b.packing * std::max(work.b.packings, work.b.packers);
    slab.inside.c = elements * work.c.packing;
    slab.moving = moving(work, memory, by_gemv > 0);
    const auto at_once = [&](double slabs) {
      return ExpectedTime::Share{slabs / work.at_once * slab.inside, slabs / work.at_once * slab.moving};
    };
    time.first = at_once(1);
    if (work.k_tiles > 1) {
      const bool stays_inside = work.between * element_bytes_ <= memory.inner_capacity() / 2;  // C's tiles until the next tile of K
      slab.inside.c *= is_gemm && work.writes_c_once ? 0 : 1;
      slab.moving.c = stays_inside ? 0 : 2 * elements * element_bytes_ * memory.per_byte(work.working_set_bytes);
      time.later = at_once(work.k_tiles - 1);
    }
    if (work.splits_sums) {
      time.first.inside.c += work.threads * elements * rates_->packed_across;  // adding the parts
    }
  }
  time.first.inside.kernel += (work.threads - 1) * start_of_a_thread;
  return time;
}

}  // namespace flopcast::contract
