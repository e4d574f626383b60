/* Calls a BLAS with 64-bit integers by the names in Julia's build of OpenBLAS. */
#include <stdint.h>

#include "products.h"

FORTRAN_DGEMM(dgemm_64_, int64_t);
C_DGEMM(cblas_dgemm64_, int64_t);

int main(void) {
  FORTRAN_PRODUCT(dgemm_64_, int64_t)
  C_PRODUCT(cblas_dgemm64_)
  return 0;
}
