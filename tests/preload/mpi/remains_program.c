/* Copies into buffers that hold remains of other data (apparently texts), multiplies with the copies, and sends such buffers round a ring.
   Messages also have columns with gaps, go from one or all processes to all, have parts of any size, and are nonblocking. Fails unless the
   sums of products stay small: with copies, products and messages skipped, no remains may enter the sums, and the data in gaps must stay.
   */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dcopy_(const int*, const double*, const int*, double*, const int*);
extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

enum { n = 24, gap = 2, steps = 700, kinds = 7, max_processes = 16 };

static double x[n * n], sum[n * n], other_sum[n * n];
static int parts[max_processes], places[max_processes]; /* parts of a matrix, one per process */

/* Receives into `come`, columns of n with a gap behind each. */
static void receive(int kind, double* come, MPI_Datatype columns, int rank, int size) {
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size, all = n * n;
  switch (kind) {
    case 0: MPI_Sendrecv(x, all, MPI_DOUBLE, next, 0, come, all, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
    case 1: MPI_Sendrecv(x, all, MPI_DOUBLE, next, 0, come, 1, columns, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
    case 2: MPI_Allreduce(x, come, all, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
    case 3:
      if (rank == 0) memcpy(come, x, sizeof x);
      MPI_Bcast(come, all, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      break;
    case 4: MPI_Allgatherv(x, parts[rank], MPI_DOUBLE, come, parts, places, MPI_DOUBLE, MPI_COMM_WORLD); break;
    case 5: MPI_Alltoallv(x, parts, places, MPI_DOUBLE, come, parts, places, MPI_DOUBLE, MPI_COMM_WORLD); break;
    default: {
      MPI_Request request;
      MPI_Iallreduce(x, come, all, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char** argv) {
  const int order = n, all = n * n, step = 1, apart = n + gap;
  int wrong = 0;
  MPI_Datatype columns;
  const double one = 1;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_vector(n, n, apart, MPI_DOUBLE, &columns);
  MPI_Type_commit(&columns);
  for (int i = 0; i < n * n; ++i) x[i] = 1e-3;
  for (int i = 0; i < size; ++i) {
    places[i] = all * i / size;
    parts[i] = all * (i + 1) / size - places[i];
  }
  double copy_of_text;
  memset(&copy_of_text, 'o', sizeof copy_of_text);
  for (int i = 0; i < steps; ++i) {
    double* copy = malloc(sizeof x);
    double* come = malloc(sizeof(double) * n * apart);
    const int kind = i % kinds, strided = kind == 1;
    memset(copy, 'o', sizeof x);
    memset(come, 'o', sizeof(double) * n * apart);
    dcopy_(&all, x, &step, copy, &step);
    dgemm_("N", "N", &order, &order, &order, &one, copy, &order, x, &order, &one, sum, &order, 1, 1);
    receive(kind, come, columns, rank, size);
    for (int j = 0; strided && j < n; ++j) wrong += come[j * apart + n] != copy_of_text;
    dgemm_("N", "N", &order, &order, &order, &one, come, strided ? &apart : &order, x, &order, &one, other_sum, &order, 1, 1);
    free(copy);
    free(come);
  }
  MPI_Type_free(&columns);
  for (int i = 0; i < n * n; ++i) wrong += !(fabs(sum[i]) < 10 && fabs(other_sum[i]) < 10);
  MPI_Finalize();
  return wrong != 0;
}
