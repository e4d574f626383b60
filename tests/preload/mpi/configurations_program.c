/* An MPI program with several configurations: products of `order`, then a broadcast to all processes, or "split" in two halves. Way "dies"
   kills a process unless the configuration is the launch's first. With way "late" the first process is late for a message, and exchanges
   follow. Way "breaks" leaves the loop at the third configuration. Arguments: order, way, and a word without effect. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flopcast/regions.h"

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

static void work(int order, MPI_Comm along) {
  const double one = 1, zero = 0;
  const size_t size = (size_t)order * (size_t)order;
  double* a = malloc(2 * size * sizeof(double));
  for (size_t i = 0; i < 2 * size; ++i) a[i] = 1.0 / (1 + (double)(i % 17));
  for (int step = 0; step < 20; ++step) {
    dgemm_("N", "T", &order, &order, &order, &one, a, &order, a, &order, &zero, a + size, &order, 1, 1);
    MPI_Bcast(a + size, (int)size, MPI_DOUBLE, 0, along);
  }
  free(a);
}

/* Exchanges don't use the receivers' progress: receivers' reports wait for the next send that takes long. */
static void meet_late(int rank) {
  enum { large = 1 << 17, small = 1 << 10 };
  static double out[large], in[large];
  if (rank > 1) return;
  if (rank == 0) usleep(30000);
  if (rank == 0) MPI_Recv(in, large, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(out, large, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  for (int i = 0; i < 10; ++i)
    MPI_Sendrecv(out, small, MPI_DOUBLE, 1 - rank, 2, in, small, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int number = 0; flopcast_next_configuration(); ++number) {
    const int order = (int)flopcast_integer_parameter("order", argc > 1 ? atoi(argv[1]) : 40);
    const char* way = flopcast_parameter("way", argc > 2 ? argv[2] : "all");
    if (strcmp(way, "dies") == 0 && number > 0 && rank == 1) raise(SIGKILL);
    if (strcmp(way, "breaks") == 0 && number > 1) break;
    flopcast_start();
    MPI_Comm along;
    MPI_Comm_split(MPI_COMM_WORLD, strcmp(way, "split") == 0 ? rank % 2 : 0, rank, &along);
    if (strcmp(way, "late") == 0) meet_late(rank);
    work(order, along);
    MPI_Comm_free(&along);
    flopcast_stop();
    if (rank == 0) printf("order %d, %s\n", order, way);
  }
  MPI_Finalize();
  return 0;
}
