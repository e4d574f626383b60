/* Copies into fresh memory and factors that; fails unless each factorisation has as many reflectors as columns: with copies left out, what stands in the place of the copied matrix must
   not be one of lower rank, since routines take shortcuts then. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

extern void dlacpy_(const char*, const int*, const int*, const double*, const int*, double*, const int*, size_t);
extern void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);

enum { m = 256, n = 64, steps = 240 };

int main(int argc, char** argv) {
  const int rows = m, columns = n, work_size = 64 * n;
  int info = 0, missing = 0;
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
  }
  if (missing > 0) fprintf(stderr, "%d reflectors are missing\n", missing);
  MPI_Finalize();
  free(work);
  free(matrix);
  return missing > 0;
}
