#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/contract/algorithms/execute.hpp"
#include "flopcast/contract/planner/tiling.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/machine/caches/shared_bandwidth.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {
class Store;
}

namespace flopcast::contract {

/// The time model of a kernel for a tile of m x n x k whose operands lie in the caches: call + per_c m n + per_a m k + per_b k n +
/// per_product m n k. All rates are in seconds.
struct KernelRates {
  Seconds call = 0;
  Seconds per_c = 0, per_a = 0, per_b = 0;  ///< per element, for packing (or the library's equivalent) and for reading and writing C
  Seconds per_product = 0;
  friend bool operator==(const KernelRates&, const KernelRates&) = default;

  [[nodiscard]] Seconds of(double m, double n, double k) const {
    return call + per_c * m * n + per_a * m * k + per_b * k * n + per_product * m * n * k;
  }
};

/// Rates of all kernels on one machine, for double precision.
struct TileRates {
  std::array<KernelRates, 3> kernels;           ///< index: TileKernel without batch; panels and streaming include packing of both operands
  Seconds packed_along = 0, packed_across = 0;  ///< seconds for packing an element along the contiguous index of its operand, and across it
  /// Numbers of sums for which a product of a matrix and a vector is timed. Libraries switch between functions there.
  static constexpr std::array<std::int64_t, 3> gemv_lengths = {256, 1024, 1600};
  /// Seconds of gemv for a product. Indices: whether the matrix is contiguous along the sums, and the number of sums.
  std::array<std::array<Seconds, gemv_lengths.size()>, 2> gemv = {};
  /// The shares of the outer bandwidths that threads leave each other, measured with the machine's caches. Empty: threads don't disturb
  /// each other.
  std::vector<machine::BandwidthShare> bandwidth_shares;
  bool gemm_takes_turns = false;  ///< one thread at a time may call the library, so that gemm gains nothing by several
  friend bool operator==(const TileRates&, const TileRates&) = default;

  [[nodiscard]] const KernelRates& of(TileKernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
  /// Returns the seconds of gemv for a product. Between two numbers of sums that were timed, the longer time counts.
  [[nodiscard]] Seconds of_gemv(bool along_sums, double rows) const;
};

/// Measures the rates with a few small products of every kernel, which takes some milliseconds.
TileRates measure_tile_rates(const FindRoutine& find);

/// Returns rates that are measured once per machine and library and kept in `store`; `fresh` measures again.
TileRates tile_rates_in(model::Store& store, const std::string& fingerprint, const FindRoutine& find, bool fresh = false);

/// Returns rates for a machine without measured kernels, estimated from its peak and the bandwidth of its caches.
TileRates assumed_tile_rates(const Environment& environment);

}  // namespace flopcast::contract
