#pragma once

#include <array>
#include <string>
#include <vector>

#include "flopcast/contract/blocked.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/units.hpp"
#include "flopcast/machine/shared_bandwidth.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast::contract {

/// What a kernel takes for a tile of m x n x k whose operands lie in the caches: call + per_c m n + per_a m k + per_b k n + per_product m n
/// k.
struct KernelRates {
  Seconds call = 0;
  Seconds per_c = 0, per_a = 0, per_b = 0;  ///< for packing, or what a library does in its place, and for reading and writing C
  Seconds per_product = 0;
  friend bool operator==(const KernelRates&, const KernelRates&) = default;

  [[nodiscard]] Seconds of(double m, double n, double k) const {
    return call + per_c * m * n + per_a * m * k + per_b * k * n + per_product * m * n * k;
  }
};

/// Rates of all kernels on one machine, for double precision.
struct TileRates {
  std::array<KernelRates, 3> kernels;  ///< by TileKernel, but for the batch kernel; panels and streaming with packing of both operands
  Seconds packed_along = 0, packed_across = 0;  ///< for packing an element along its operand's contiguous index, and across it
  /// What threads leave each other of the outer bandwidths; empty: they don't disturb each other. Measured with the machine's caches.
  std::vector<machine::BandwidthShare> bandwidth_shares;
  friend bool operator==(const TileRates&, const TileRates&) = default;

  [[nodiscard]] const KernelRates& of(TileKernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
};

/// Runs a few small products of every kernel: some milliseconds.
TileRates measure_tile_rates(const FindRoutine& find);

/// The same, measured once per machine and library and kept in `store`; `fresh` measures again.
TileRates tile_rates_in(model::Store& store, const std::string& fingerprint, const FindRoutine& find, bool fresh = false);

/// What to expect of a machine whose kernels nobody has timed, from its peak and the bandwidth of its caches.
TileRates assumed_tile_rates(const Environment& environment);

}  // namespace flopcast::contract
