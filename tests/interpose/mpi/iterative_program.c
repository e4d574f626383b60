/* A program that goes by its results: Richardson's iteration for A x = b, which ends when the residual is small and not before. With products left out it takes steps too far, and never ends. Argument:
   order. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
                   double*, const int*, size_t);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1600, step = 1;
  const double one = 1, zero = 0;
  double* a = calloc((size_t)n * (size_t)n, sizeof(double));
  double* x = calloc((size_t)n, sizeof(double));
  double* y = calloc((size_t)n, sizeof(double));
  MPI_Init(&argc, &argv);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a[i + j * n] = i == j ? 1 : 0.5 / n;
  int steps = 0;
  double residual = 1;
  for (; !(residual <= 1e-12); ++steps) {
    dgemv_("N", &n, &n, &one, a, &n, x, &step, &zero, y, &step, 1);
    double most = 0;
    for (int i = 0; i < n; ++i) {
      x[i] += 0.25 * (1 - y[i]);
      if (!(fabs(1 - y[i]) <= most)) most = fabs(1 - y[i]);
    }
    MPI_Allreduce(&most, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d steps, %.6f\n", steps, x[0]);
  MPI_Finalize();
  return 0;
}
