/* Begins and ends MPI, as another library defines that. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return MPI_Finalize();
}
