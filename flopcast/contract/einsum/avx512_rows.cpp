#include "flopcast/contract/einsum/row_kernel.hpp"
#include "flopcast/contract/einsum/row_loops.hpp"

// Compiled for AVX-512 (CMakeLists.txt); executed only where the CPU has it.
namespace flopcast::contract {

#if defined(__AVX512F__)
RowKernels avx512_rows() noexcept { return row_loops::all_rows<64>(); }
#else
RowKernels avx512_rows() noexcept { return {}; }
#endif

}  // namespace flopcast::contract
