/* Calls a BLAS by the names that MKL has besides the usual ones. */
#include "products.h"

FORTRAN_DGEMM(dgemm, int);
FORTRAN_DGEMM(DGEMM, int);

int main(void) {
  FORTRAN_PRODUCT(dgemm, int)
  FORTRAN_PRODUCT(DGEMM, int)
  return 0;
}
