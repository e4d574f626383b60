/* Multiplies matrices of ones by other names than dgemm_ and cblas_dgemm, and prints the last products of the Fortran interface and of the
   other one. It is compiled with INTEGER and the names FORTRAN_NAME and OTHER_NAME, and with OTHER_IS_C if the latter is one of CBLAS.
   Argument: number of repetitions. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/program/cli/other_names/products.h"

typedef INTEGER integer;
FORTRAN_DGEMM(FORTRAN_NAME, integer);
#ifdef OTHER_IS_C
C_DGEMM(OTHER_NAME, integer);
#else
FORTRAN_DGEMM(OTHER_NAME, integer);
#endif

enum { rows = 8, columns = 6, inner = 10 };

static double a[order * order], c[order * order], d[order * order];

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  const integer m = rows, n = columns, k = inner, ld = order;
  const double one = 1, zero = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill(a, 1);
  for (int i = 0; i < times; ++i) {
    FORTRAN_NAME("N", "T", &m, &n, &k, &one, a, &ld, a, &ld, &zero, c, &ld);
#ifdef OTHER_IS_C
    OTHER_NAME(102, 112, 111, m, n, k, 1, a, ld, a, ld, 0, d, ld);
#else
    OTHER_NAME("T", "N", &m, &n, &k, &one, a, &ld, a, &ld, &zero, d, &ld);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("%g %g\n", c[rows - 1], d[order * (columns - 1)]);
  }
  MPI_Finalize();
  (void)is_right;
  return 0;
}
