#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::model {

/// The cost of a call by the machine's roofs alone. Measured times are related to this baseline.
struct Baseline {
  double flops_rate = 1e11;              ///< double-precision flops per second; single precision is twice as fast
  std::vector<double> bandwidths;        ///< bytes per second from L1 outwards, memory last
  std::vector<std::int64_t> capacities;  ///< bytes, from L1 outwards
  Seconds overhead = 1e-7;               ///< overhead of any call

  static Baseline of(const Environment& environment);
};

/// Returns whether the call has nothing to write and nothing to return; BLAS and LAPACK then return almost immediately. A gemm with k = 0
/// is excluded, because kernels for small products in OpenBLAS read and write all of C.
bool returns_at_once(const Call& call);

/// Returns the cache level of an access distance as a continuous number: 0 well inside L1, capacities.size() well outside in memory, and
/// values in between around a capacity.
double continuous_level(const OperandState& state, std::span<const std::int64_t> capacities);

/// Returns overhead + flops / rate + sum over the operands of bytes / bandwidth of the level that holds the operand.
Seconds baseline_time(const Call& call, const Placement& placement, const Baseline& baseline);

}  // namespace flopcast::model
