/* An MPI program of known structure. In each of `steps` steps every process does rank + 1 products of order 100, then a message goes from
   the last process to the first, then 1000 doubles are broadcast. Arguments: steps, and an ending or variant. Endings: normal, exit
   (without MPI_Finalize), leave (exit while the others go on), mistake (normal, with messages that MPI refuses), abort, kill. Variants:
   multiple (threads), none (without MPI_Init), serialized (another thread sends and receives), nonblocking (with a nonblocking collective),
   exchanges (each of two processes sends and receives 1000 doubles in every step, and does nothing else). */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                   const int*, const double*, double*, const int*, size_t, size_t);

enum { n = 100 };
static double a[n * n], b[n * n], data[1000], sum[n], gathered[n * n]; /* for at most 100 processes */

/* Sends from the last process to the first. */
static void* send_on(void* tag) {
  const int step = *(const int*)tag;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1 && rank == size - 1) MPI_Send(b, n, MPI_DOUBLE, 0, step, MPI_COMM_WORLD);
  if (size > 1 && rank == 0) MPI_Recv(data, n, MPI_DOUBLE, size - 1, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

static int level_for(const char* end) {
  return strcmp(end, "multiple") == 0 ? MPI_THREAD_MULTIPLE : strcmp(end, "serialized") == 0 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const char* end = argc > 2 ? argv[2] : "normal";
  if (strcmp(end, "none") == 0) return 0;
  int level;
  MPI_Init_thread(&argc, &argv, level_for(end), &level);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(end, "exchanges") == 0) {
    for (int step = 0; step < steps; ++step) {
      MPI_Sendrecv(a, 1000, MPI_DOUBLE, 1 - rank, 0, data, 1000, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
  }
  if (strcmp(end, "mistake") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int count = MPI_Recv(data, -1, MPI_DOUBLE, size - 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int type = MPI_Recv(data, 1, MPI_DATATYPE_NULL, size - 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int partner =
        MPI_Sendrecv(a, 1, MPI_DOUBLE, size + 99, 7, data, 1, MPI_DOUBLE, size - 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) printf("refused %d\n", (count != MPI_SUCCESS) + (type != MPI_SUCCESS) + (partner != MPI_SUCCESS));
  }
  const int order = n;
  const double one = 1, zero = 0;
  for (int i = 0; i < n * n; ++i) a[i] = 1.0 / (1 + i % 17);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i <= rank; ++i) dgemm_("N", "T", &order, &order, &order, &one, a, &order, a, &order, &zero, b, &order, 1, 1);
    if (strcmp(end, "serialized") == 0) {
      pthread_t other;
      pthread_create(&other, NULL, send_on, &step);
      pthread_join(other, NULL);
    } else {
      send_on(&step);
    }
    if (strcmp(end, "nonblocking") == 0) {
      MPI_Request request;
      MPI_Iallreduce(b, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Igather(rank == 0 ? MPI_IN_PLACE : b, n, MPI_DOUBLE, gathered, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Iscatter(gathered, n, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : sum, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(data, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (step == 1 && rank == size - 1) {
      if (strcmp(end, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 3);
      if (strcmp(end, "kill") == 0) raise(SIGKILL);
      if (strcmp(end, "leave") == 0) exit(3);
    }
  }
  if (rank == 0) printf("result %.17g\n", data[3] + b[5]);
  if (strcmp(end, "exit") != 0) MPI_Finalize();
  return 0;
}
