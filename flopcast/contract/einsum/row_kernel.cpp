#include "flopcast/contract/einsum/row_kernel.hpp"

namespace flopcast::contract {

const RowKernels& row_kernels() {
  static const RowKernels best = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0 && avx512_rows().d.sum != nullptr) {
      return avx512_rows();
    }
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && avx2_rows().d.sum != nullptr) {
      return avx2_rows();
    }
#endif
    return baseline_rows();
  }();
  return best;
}

}  // namespace flopcast::contract
