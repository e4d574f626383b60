/* Copies into buffers in which remains of something else lie, texts as it seems, multiplies with them, and sends such buffers round a ring; fails unless the sums of products stay
   small: with copies, products and messages left out the remains must not get into them. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dcopy_(const int*, const double*, const int*, double*, const int*);
extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

enum { n = 24, steps = 400 };

static double x[n * n], sum[n * n], other_sum[n * n];

int main(int argc, char** argv) {
  const int order = n, all = n * n, step = 1;
  const double one = 1;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < n * n; ++i) x[i] = 1e-3;
  for (int i = 0; i < steps; ++i) {
    double* copy = malloc(sizeof x);
    double* come = malloc(sizeof x);
    memset(copy, 'o', sizeof x);
    memset(come, 'o', sizeof x);
    dcopy_(&all, x, &step, copy, &step);
    dgemm_("N", "N", &order, &order, &order, &one, copy, &order, x, &order, &one, sum, &order, 1, 1);
    MPI_Sendrecv(x, all, MPI_DOUBLE, (rank + 1) % size, 0, come, all, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    dgemm_("N", "N", &order, &order, &order, &one, come, &order, x, &order, &one, other_sum, &order, 1, 1);
    free(copy);
    free(come);
  }
  int wrong = 0;
  for (int i = 0; i < n * n; ++i) wrong += !(fabs(sum[i]) < 10 && fabs(other_sum[i]) < 10);
  MPI_Finalize();
  return wrong != 0;
}
