#pragma once

#include <span>

#include "flopcast/machine/caches/bandwidth_kernels.hpp"
#include "flopcast/machine/caches/compute_kernels.hpp"

namespace flopcast::machine {

/// The loops of one instruction set; empty where the program wasn't compiled for its processor family.
struct InstructionSet {
  std::span<const ComputeKernel> compute;
  std::span<const BandwidthKernel> bandwidth;
};

InstructionSet baseline_loops() noexcept;  ///< every CPU of the family has it
InstructionSet avx2_loops() noexcept;      ///< AVX2 and FMA
InstructionSet avx512_loops() noexcept;    ///< AVX-512F

}  // namespace flopcast::machine
