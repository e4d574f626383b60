/* Process 0 sends three messages to process 1, and broadcasts two. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  double data[100] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Pcontrol(1);
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) {
      MPI_Send(data, 100, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Recv(data, 100, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Bcast(data, 50, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
