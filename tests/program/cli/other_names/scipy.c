/* Calls an OpenBLAS by the names in SciPy's build. */
#include <string.h>

#include "products.h"

FORTRAN_DGEMM(scipy_dgemm_, int);
C_DGEMM(scipy_cblas_dgemm, int);

void scipy_dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);

/* Returns the block size with which the library factors: the columns of the workspace that it reports as best. */
static int block_size(void) {
  const int n = 1000, query = -1;
  int info = -7;
  double nothing = 0, best = 0;
  scipy_dgeqrf_(&n, &n, &nothing, &n, &nothing, &best, &query, &info);
  return (int)best / n;
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "block") == 0) {
    printf("%d\n", block_size());
    return 0;
  }
  FORTRAN_PRODUCT(scipy_dgemm_, int)
  C_PRODUCT(scipy_cblas_dgemm)
  return 0;
}
