/* A program with one known reason for lost time, in 3 steps. Sleep stands for computation. Argument:
   late_sender: the others receive 100 ms before process 0 sends to them; any: the same with MPI_Waitany; late_receiver: process 0 sends a long
   message 100 ms before process 1 receives it; imbalance: process r works r + 1 times 50 ms between barriers, in a region; serialisation: each
   process works 60 ms after the one before it; none: all work 100 ms between barriers. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "flopcast/regions.h"

enum { steps = 3, count = 100000, millisecond = 1000 };

static double data[count];
static int rank, size;

static void late_sender(int any) {
  if (rank == 0) usleep(100 * millisecond);
  for (int other = 1; rank == 0 && other < size; ++other) MPI_Send(data, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
  if (rank == 0) return;
  if (any) {
    MPI_Request request;
    int which;
    MPI_Irecv(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Waitany(1, &request, &which, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(data, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void late_receiver(void) {
  if (rank == 0) MPI_Send(data, count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (rank != 1) return;
  usleep(100 * millisecond);
  MPI_Recv(data, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void imbalance(void) {
  if (flopcast_kernel("work", 0, 0)) {
    usleep((unsigned)(rank + 1) * 50 * millisecond);
    flopcast_end();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void serialisation(void) {
  if (rank > 0) MPI_Recv(data, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  usleep(60 * millisecond);
  if (rank < size - 1) MPI_Send(data, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void none(void) {
  usleep(100 * millisecond);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* planted = argc > 1 ? argv[1] : "none";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; ++step) {
    if (strcmp(planted, "late_sender") == 0) late_sender(0);
    if (strcmp(planted, "any") == 0) late_sender(1);
    if (strcmp(planted, "late_receiver") == 0) late_receiver();
    if (strcmp(planted, "imbalance") == 0) imbalance();
    if (strcmp(planted, "serialisation") == 0) serialisation();
    if (strcmp(planted, "none") == 0) none();
  }
  MPI_Finalize();
  return 0;
}
