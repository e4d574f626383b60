/* Measures regions of an MPI program's own code as kernels of `flopcast mpi`.

   Transposes a matrix `steps` times and sums the first column over all processes. Link flopcast::regions. Arguments: order, steps.
     for      authors of MPI programs in C whose time isn't all in BLAS
     build    mpicc.openmpi -O2 -Iinclude examples/regions.c build/check/lib/libflopcast_regions.a -o regions
     run      mpirun.openmpi -n 2 flopcast mpi run --figure regions.svg -- ./regions 400 20
     read     docs/howto/tune_mpi_program.md */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "flopcast/regions.h"

static void transpose(int n, const double* a, double* b) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) b[i * n + j] = a[j * n + i];
  }
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 200;
  const int steps = argc > 2 ? atoi(argv[2]) : 20;
  MPI_Init(&argc, &argv);
  double* a = malloc(sizeof(double) * (size_t)n * (size_t)n);
  double* b = malloc(sizeof(double) * (size_t)n * (size_t)n);
  flopcast_stop(); /* preparing is no part of what is measured */
  for (int i = 0; i < n * n; ++i) a[i] = i % 97;
  flopcast_start();

  const int64_t sizes[] = {n};
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (flopcast_kernel("transpose", 1, sizes)) {
      transpose(n, a, b);
      flopcast_end();
    }
    flopcast_begin("add column", 1, sizes);
    for (int i = 0; i < n; ++i) sum += b[i];
    flopcast_end();
  }
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("sum %g\n", all);
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}
