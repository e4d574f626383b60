/* Stands for an MPI without communication: it begins and ends nothing. */
#include <mpi.h>

int MPI_Init(int* count, char*** words) { return count == 0 && words != 0; }
int MPI_Finalize(void) { return 0; }
