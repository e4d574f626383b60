#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/einsum/row_loops.hpp"

// Compiled for AVX2 (CMakeLists.txt); executed only where the CPU has it.
namespace flopcast::contract {

#if defined(__AVX2__)
RowKernels avx2_rows() noexcept { return row_loops::all_rows<32>(); }
#else
RowKernels avx2_rows() noexcept { return {}; }
#endif

}  // namespace flopcast::contract
