/* A tool that counts what Fortran sends. */
#include <mpi.h>
#include <stdio.h>

void pmpi_send_(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
void pmpi_finalize_(MPI_Fint*);
static int sends;

void mpi_send_(void* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* error) {
  ++sends;
#ifdef CONVERTING
  *error = PMPI_Send(buffer, *count, MPI_Type_f2c(*type), *to, *tag, MPI_Comm_f2c(*comm));
  return;
#endif
  pmpi_send_(buffer, count, type, to, tag, comm, error);
}

void mpi_finalize_(MPI_Fint* error) {
  if (sends > 0) {
    printf("tool: %d sends of Fortran\n", sends);
    fflush(stdout);
  }
  pmpi_finalize_(error);
}

#ifdef DEAF
void mpi_barrier_(MPI_Fint* comm, MPI_Fint* error) { (void)comm, *error = MPI_SUCCESS; }
#endif
