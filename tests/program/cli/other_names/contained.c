/* Has a BLAS linked into itself. */
#include "products.h"

FORTRAN_DGEMM(dgemm_, int);

int main(void) {
  FORTRAN_PRODUCT(dgemm_, int)
  return 0;
}
