#include <cstdint>

/// A BLAS with 64-bit integers under the names of SciPy's builds. It has only the functions that flopcast needs.
extern "C" {

double scipy_ddot_64_(const std::int64_t* n, const double* x, const std::int64_t* incx, const double* y, const std::int64_t* incy) {
  double sum = 0;
  for (std::int64_t i = 0; i < *n; ++i) {
    sum += x[i * *incx] * y[i * *incy];
  }
  return sum;
}

void scipy_dgemm_64_() {}

const char* scipy_openblas_get_config64_() { return "OpenBLAS 9.8.7  USE64BITINT DYNAMIC_ARCH"; }
}
