#include "flopcast/contract/kernels/batch_loops.hpp"
#include "flopcast/contract/kernels/panel_kernel.hpp"
#include "flopcast/contract/kernels/panel_loops.hpp"

// Compiled for AVX-512 (CMakeLists.txt); executed only where the CPU has it. 24 of 32 registers hold sums.
namespace flopcast::contract {

#if defined(__AVX512F__)
namespace {

typedef double Doubles [[gnu::vector_size(64)]];
typedef float Floats [[gnu::vector_size(64)]];
typedef double FourDoubles [[gnu::vector_size(32)]];
typedef float FourFloats [[gnu::vector_size(16)]];

}  // namespace

PanelKernels avx512_panels() noexcept {
  return {panel_loops::panel_kernel<Floats, float, 3, 8>("AVX-512", transpose_loops::in_registers<FourFloats, float>,
                                                         batch_loops::run<Floats, float, 4, 4>),
          panel_loops::panel_kernel<Doubles, double, 3, 8>("AVX-512", transpose_loops::in_registers<FourDoubles, double>,
                                                           batch_loops::run<Doubles, double, 4, 4>)};
}
#else
PanelKernels avx512_panels() noexcept { return {}; }
#endif

}  // namespace flopcast::contract
