#include "products.h"

FORTRAN_DGEMM(dgemm_, int);
void dscal_(const int* n, const double* alpha, double* x, const int* incx);

void work(void) {
  const int n = 1, one = 1;
  const double two = 2;
  static double x = 1;
  FORTRAN_PRODUCT(dgemm_, int)
  dscal_(&n, &two, &x, &one); /* compiled to a jump, as the function's last call */
}
