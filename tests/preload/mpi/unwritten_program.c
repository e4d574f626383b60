/* Copies a matrix into fresh memory, as a whole or by columns, and factors it. Fails unless each factorisation has as many reflectors as
   columns and no zero pivot. With copies skipped, the memory must not look like a matrix of lower rank, for which routines take shortcuts
   or give up. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void dlacpy_(const char*, const int*, const int*, const double*, const int*, double*, const int*, size_t);
extern void dcopy_(const int*, const double*, const int*, double*, const int*);
extern void dgesv_(const int*, const int*, double*, const int*, int*, double*, const int*, int*);
extern void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);

enum { m = 256, n = 64, steps = 240 };

/* Factors the leading square part; returns the number of the first zero pivot. */
static int solve_in_copies(const double* matrix, int stride) {
  const int order = n, one = 1;
  int info = 0, pivots[n];
  double* copy = calloc(n * n, sizeof(double));
  double right[n];
  for (int j = 0; j < n; ++j) dcopy_(&order, matrix + j * stride, &one, copy + j * n, &one);
  for (int j = 0; j < n; ++j) right[j] = 1;
  dgesv_(&order, &one, copy, &order, pivots, right, &order, &info);
  free(copy);
  return info;
}

int main(int argc, char** argv) {
  const int rows = m, columns = n, work_size = 64 * n;
  int info = 0, missing = 0, zero_pivots = 0;
  double* matrix = malloc(sizeof(double) * m * n);
  double* work = malloc(sizeof(double) * 64 * n);
  double tau[n];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < m * n; ++i) matrix[i] = rand() / (double)RAND_MAX - 0.5;
  for (int i = 0; i < steps; ++i) {
    double* copy = calloc(m * n, sizeof(double));
    dlacpy_("A", &rows, &columns, matrix, &rows, copy, &rows, 1);
    if (i % 3 == 0) {
      for (int j = 0; j < n; ++j) tau[j] = 1;
      dgeqrf_(&rows, &columns, copy, &rows, tau, work, &work_size, &info);
      for (int j = 0; j < n; ++j) missing += tau[j] == 0;
    }
    free(copy);
    zero_pivots += solve_in_copies(matrix, m) != 0;
  }
  if (missing > 0) fprintf(stderr, "%d reflectors are missing\n", missing);
  if (zero_pivots > 0) fprintf(stderr, "%d matrices have a zero pivot\n", zero_pivots);
  MPI_Finalize();
  free(work);
  free(matrix);
  return missing > 0 || zero_pivots > 0;
}
