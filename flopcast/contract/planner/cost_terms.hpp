#pragma once

#include "flopcast/contract/planner/contraction_plan.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/routine.hpp"
#include "flopcast/machine/caches/shared_bandwidth.hpp"
#include "flopcast/support/units.hpp"

/// Terms of the planner's formula of time (docs/explanation/planner.md). TimeModel sums them for a tiling, by tables of offsets; PlannerCost
/// for a step of a tree, by sizes and contiguity alone.
namespace flopcast::contract {

/// Time for waking a thread and waiting for its end. The value lies between that of a thread that is awake (a microsecond) and that of one
/// that has to be started (tens of them).
inline constexpr Seconds start_of_a_thread = 8e-6;

/// Number of elements in a cache line.
std::int64_t elements_per_line(Precision precision);

/// Share of repeatedly used data that lies outside of a last-level cache: such caches don't end at a sharp size.
double share_outside(double working_set_bytes, double capacity_bytes);

/// Returns the time of a product relative to that of double precision.
double product_factor(Precision precision);

/// Returns the rates of a kernel for a precision, without packing.
KernelRates rates_without_packing(const TileRates& rates, TileKernel kernel, Precision precision);

/// Returns the time of gemv for a matrix of rows x sums, which includes reading the matrix from L2; 0 where that wasn't measured.
Seconds time_of_gemv(const TileRates& rates, Precision precision, bool along_sums, double rows, double sums);

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

}  // namespace flopcast::contract
