/* A program steered by its results. It halves the elements of a matrix by a product until they are small, with a reduction in each step.
   With the product skipped it takes other decisions. Arguments: order, and "strict" to fail without convergence. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 50;
  const double one = 1, zero = 0;
  const size_t bytes = sizeof(double) * (size_t)n * (size_t)n;
  double* half = calloc(1, bytes);
  double* x = malloc(bytes);
  double* y = calloc(1, bytes);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < n; ++i) half[i * n + i] = 0.5;
  for (int i = 0; i < n * n; ++i) x[i] = 1;
  int steps = 0;
  for (double most = 1; most > 1e-3 && steps < 50; ++steps) {
    dgemm_("N", "N", &n, &n, &n, &one, half, &n, x, &n, &zero, y, &n, 1, 1);
    memcpy(x, y, bytes);
    MPI_Allreduce(&x[0], &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d steps\n", steps);
  MPI_Finalize();
  return argc > 2 && steps == 50;
}
