#pragma once

#include "flopcast/contract/kernels/panel_kernel.hpp"

namespace flopcast::contract {

/// The kernels of one instruction set; `run` is null if the compiler doesn't support the instruction set.
struct PanelKernels {
  PanelKernel<float> in_float;
  PanelKernel<double> in_double;
};

PanelKernels avx512_panels() noexcept;
PanelKernels avx2_panels() noexcept;
PanelKernels baseline_panels() noexcept;

}  // namespace flopcast::contract
