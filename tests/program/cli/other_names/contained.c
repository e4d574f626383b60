/* A program with a BLAS linked into it. */
#include "products.h"

FORTRAN_DGEMM(dgemm_, int);

int main(void) {
  FORTRAN_PRODUCT(dgemm_, int)
  return 0;
}
