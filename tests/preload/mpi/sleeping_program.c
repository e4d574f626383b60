/* Process 0 sleeps for 0.3 s before it sends to the others, which have said that they are ready. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double x = 0;
  for (int other = 1; rank == 0 && other < size; ++other) {
    MPI_Recv(&x, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) {
    usleep(300000);
    for (int other = 1; other < size; ++other) {
      MPI_Send(&x, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
    }
  } else {
    MPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (argc > 1) {
    usleep(rank == 1 ? 300000 : 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
