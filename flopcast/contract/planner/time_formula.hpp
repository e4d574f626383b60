#pragma once

#include <array>

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/machine/caches/shared_bandwidth.hpp"
#include "flopcast/support/units.hpp"

/// The planner's formula of time (docs/explanation/planner.md). TimeModel derives its variables for a tiling, from tables of offsets;
/// PlannerCost for a step of a tree, from sizes and contiguity alone.
namespace flopcast::contract {

/// Time for waking a thread and waiting for its end. The value lies between that of a thread that is awake (a microsecond) and that of one
/// that has to be started (tens of them).
inline constexpr Seconds start_of_a_thread = 8e-6;

/// Returns whether the cost of starting threads matters for a contraction that takes `seconds` on `threads` of them.
constexpr bool is_short_for_threads(Seconds seconds, int threads) { return seconds < 1e-3 + (threads - 1) * start_of_a_thread; }

/// Returns whether a short contraction runs on several threads, in `shared` seconds, rather than on one in `alone`. Threads that save little
/// aren't worth the risk that a core belongs to another program just then: a call that waits for such a core takes several times as long.
constexpr bool are_threads_worthwhile(Seconds shared, Seconds alone) {
  constexpr Seconds least_saved = 1e-5;
  constexpr double largest_share = 0.8;
  return shared <= alone - least_saved && shared <= largest_share * alone;
}

/// Number of elements in a cache line.
std::int64_t elements_per_line(Precision precision);

/// Share of repeatedly used data that lies outside of a last-level cache: such caches don't end at a sharp size.
double share_outside(double working_set_bytes, double capacity_bytes);

/// Returns the time of a product relative to that of double precision.
double product_factor(Precision precision);

/// Returns the time of a product by the batch kernel. With vectors along the batch, operands come from L1 for each product. Without, products
/// follow one by one at the latency of an addition.
Seconds product_along_batch(const TileRates& rates, Precision precision, bool is_contiguous, double batch);

/// Returns the factor by which an operand takes longer to come from outside than its bytes would. Lines are fetched again if only `needed`
/// neighbours of `wanted` are needed at once, and each run of `reach` neighbours begins before prefetchers follow it.
double fetching_factor(Precision precision, double wanted, double needed, double reach);

/// Seconds per byte in which a thread reads from the level that feeds a working set of a given size, while others do the same. Data that
/// stay in the innermost caches take no time, because the kernels' rates include them. Keeps a reference to the environment.
class MemoryTimes {
 public:
  /// `threads` work at once.
  MemoryTimes(const Environment& environment, const TileRates& rates, int threads)
      : environment_(&environment), share_(machine::share_of(rates.bandwidth_shares, threads)) {}

  [[nodiscard]] Seconds per_byte(double working_set_bytes) const;
  /// Returns the time per byte of data that come from the private caches only once: 0 for the first level.
  [[nodiscard]] Seconds per_byte_inside(double working_set_bytes) const;
  [[nodiscard]] Seconds per_byte_of_memory() const;
  /// Returns the capacity of the outermost private cache in bytes.
  [[nodiscard]] double inner_capacity() const;

 private:
  const Environment* environment_;
  machine::BandwidthShare share_;
};

/// Expected time of executing a tiling: `first` for the first tiles of K, which overwrite C, `later` for all further ones, which add to
/// it.
struct ExpectedTime {
  /// Times for multiplying tiles, and for A, B and C of the folded contraction.
  struct Parts {
    Seconds kernel = 0, a = 0, b = 0, c = 0;
    [[nodiscard]] Seconds sum() const { return kernel + a + b + c; }
    friend Parts operator+(const Parts& x, const Parts& y) { return {x.kernel + y.kernel, x.a + y.a, x.b + y.b, x.c + y.c}; }
    friend Parts operator*(double factor, const Parts& x) { return {factor * x.kernel, factor * x.a, factor * x.b, factor * x.c}; }
  };
  struct Share {
    Parts inside;  ///< multiplying, packing and buffering within the private caches
    Parts moving;  ///< between these and the last cache or memory
    [[nodiscard]] Parts parts() const { return inside + moving; }
    friend Share operator+(const Share& x, const Share& y) { return {x.inside + y.inside, x.moving + y.moving}; }
  };
  Share first, later;
  [[nodiscard]] Parts parts() const { return (first + later).parts(); }
  [[nodiscard]] Seconds total() const { return parts().sum(); }
};

/// The variables of the formula: a tiling and what it does to its operands.
struct TiledWork {
  /// How often an operand's elements are packed and moved.
  struct OperandWork {
    Seconds packing = 0;            ///< for packing or buffering an element, on average; 0 if none is
    double packings = 1;            ///< how often each element is packed
    double packers = 1;             ///< threads each of which packs all elements for itself
    double fetching = 1;            ///< fetching_factor() of its tiles
    double again = 0;               ///< how often all elements are read once more
    double working_set_bytes = 0;   ///< working set of one turn, which decides from which level they are read again
    bool keeps = false;             ///< all packed tiles are kept from one turn to the next
    bool is_always_packed = false;  ///< it is read from the packed tiles each time
  };
  TileKernel kernel = TileKernel::gemm;
  int threads = 1;
  double at_once = 1;                     ///< speed-up of the threads
  double m = 0, n = 0, k = 0, batch = 1;  ///< extents
  double m_tiles = 1, n_tiles = 1, k_tiles = 1;
  double tile_elements = 0;      ///< elements of C in a full tile
  double between = 0;            ///< elements of C that are computed until the next tile of K reaches them
  double working_set_bytes = 0;  ///< bytes of the tensors, which decide from which level they come
  OperandWork a, b, c;
  bool is_along_sums = false;  ///< A is read in place, contiguous along the sums
  double panel_products = 0;   ///< products_in_full_panels() of a matrix of M x N; for the panel kernel
  Seconds conflicts = 0;       ///< for lines that L1 loses because too many belong to one set
  Seconds along_batch = 0;     ///< product_along_batch(); for the batch kernel
  bool streams_c = false;      ///< C is written past the caches
  bool writes_c_once = false;  ///< gemm's buffer takes all of the sum
  bool splits_sums = false;    ///< each thread sums up a part, and the parts are added
};

/// The formula with a machine's rates. Keeps a reference to them.
class TimeFormula {
 public:
  TimeFormula(const TileRates& rates, Precision precision);
  TimeFormula(TileRates&&, Precision) = delete;  // a temporary would be gone
  [[nodiscard]] ExpectedTime time(const TiledWork& work, const MemoryTimes& memory) const;

 private:
  [[nodiscard]] Seconds gemv_time(const TiledWork& work) const;
  [[nodiscard]] Seconds multiplying(const TiledWork& work, Seconds by_gemv) const;
  [[nodiscard]] ExpectedTime::Parts moving(const TiledWork& work, const MemoryTimes& memory, bool by_gemv) const;
  [[nodiscard]] ExpectedTime time_along_batch(const TiledWork& work, const MemoryTimes& memory) const;

  const TileRates* rates_;
  std::array<KernelRates, 3> kernels_;  ///< rates for the precision, without packing; index: TileKernel
  Precision precision_;
  double element_bytes_, few_;  ///< `few_`: rows or columns below which the other operand comes from the caches only once
};

}  // namespace flopcast::contract
