#include "flopcast/contract/kernels/batch_loops.hpp"
#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/panel_loops.hpp"

// Compiled for AVX2 (CMakeLists.txt); executed only where the CPU has it. 12 of 16 registers hold sums.
namespace flopcast::contract {

#if defined(__AVX2__) && defined(__FMA__)
namespace {

typedef double Doubles [[gnu::vector_size(32)]];
typedef float Floats [[gnu::vector_size(32)]];
typedef double FourDoubles [[gnu::vector_size(32)]];
typedef float FourFloats [[gnu::vector_size(16)]];

}  // namespace

PanelKernels avx2_panels() noexcept {
  return {panel_loops::panel_kernel<Floats, float, 3, 4>("AVX2", transpose_loops::in_registers<FourFloats, float>,
                                                         batch_loops::run<Floats, float, 2, 4>),
          panel_loops::panel_kernel<Doubles, double, 3, 4>("AVX2", transpose_loops::in_registers<FourDoubles, double>,
                                                           batch_loops::run<Doubles, double, 2, 4>)};
}
#else
PanelKernels avx2_panels() noexcept { return {}; }
#endif

}  // namespace flopcast::contract
