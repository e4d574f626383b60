/* Calls a BLAS by MKL's additional names. */
#include "products.h"

FORTRAN_DGEMM(dgemm, int);
FORTRAN_DGEMM(DGEMM, int);

int main(void) {
  FORTRAN_PRODUCT(dgemm, int)
  FORTRAN_PRODUCT(DGEMM, int)
  return 0;
}
