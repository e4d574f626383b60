/* A program steered by its results. It ends only when the residuals of 2000 products in a row are small. With products skipped they never
   are. Argument: order. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
                   double*, const int*, size_t);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 700, stride = 1, enough = 2000;
  const double one = 1, zero = 0;
  double* a = calloc((size_t)n * (size_t)n, sizeof(double));
  double* x = calloc((size_t)n, sizeof(double));
  double* y = calloc((size_t)n, sizeof(double));
  MPI_Init(&argc, &argv);
  for (int i = 0; i < n; ++i) a[i + i * n] = 2;
  int products = 0;
  for (int in_a_row = 0; in_a_row < enough; ++products) {
    for (int i = 0; i < n; ++i) x[i] = 1 + (products + i) % 7;
    dgemv_("N", &n, &n, &one, a, &n, x, &stride, &zero, y, &stride, 1);
    double residual = 0, greatest = 0;
    for (int i = 0; i < n; ++i) residual += fabs(y[i] - 2 * x[i]);
    MPI_Allreduce(&residual, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    in_a_row = greatest <= 1e-10 ? in_a_row + 1 : 0;
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%d products, %.6f\n", products, y[0]);
  MPI_Finalize();
  return 0;
}
