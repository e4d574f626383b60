/* An MPI program whose critical path is known. A token goes from process to process `rounds` times around, and its holder does 3 products
   of order 60. Meanwhile the others do one of order 40 and wait. Arguments: rounds, transport and ending. Transports: short (one number),
   long (20000 numbers, so that sends wait), nonblocking, persistent, any (received with a wildcard). Endings: normal, exit (without
   MPI_Finalize). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

enum { most = 20000 };

static double a[60 * 60], b[60 * 60], token[most];

static void product(int order) {
  const double one = 1, zero = 0;
  dgemm_("N", "N", &order, &order, &order, &one, a, &order, a, &order, &zero, b, &order, 1, 1);
}

static void pass_on(const char* how, int count, int next, MPI_Request* persistent) {
  if (strcmp(how, "nonblocking") == 0) {
    MPI_Request request;
    MPI_Isend(token, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (strcmp(how, "persistent") == 0) {
    MPI_Start(persistent);
    MPI_Wait(persistent, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(token, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD);
  }
}

static void get(const char* how, int count, int before) {
  if (strcmp(how, "nonblocking") == 0) {
    MPI_Request request;
    MPI_Irecv(token, count, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  } else {
    MPI_Recv(token, count, MPI_DOUBLE, strcmp(how, "any") == 0 ? MPI_ANY_SOURCE : before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const char* how = argc > 2 ? argv[2] : "short";
  const char* end = argc > 3 ? argv[3] : "normal";
  const int count = strcmp(how, "long") == 0 ? most : 1;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request persistent;
  MPI_Send_init(token, count, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &persistent);
  for (int round = 0; round < rounds; ++round) {
    if (rank > 0) product(40);
    if (rank > 0 || round > 0) get(how, count, before);
    for (int i = 0; i < 3; ++i) product(60);
    if (rank < size - 1 || round < rounds - 1) pass_on(how, count, next, &persistent);
  }
  MPI_Request_free(&persistent);
  if (rank == 0) printf("passed\n");
  if (strcmp(end, "exit") != 0) MPI_Finalize();
  return 0;
}
