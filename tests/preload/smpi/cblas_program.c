/* Calls a CBLAS of its own: products, and two functions whose results identify the CBLAS. */
#include <mpi.h>
#include <stdio.h>

double cblas_ddot(int n, const double* x, int incx, const double* y, int incy);
double cblas_dsdot(int n, const float* x, int incx, const float* y, int incy);
void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
                 double beta, double* c, int ldc);

enum { row_major = 101, no_trans = 111, trans = 112 };

static double a[40 * 40], b[40 * 40], c[40 * 40];

int main(int argc, char** argv) {
  const float x = 1;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) cblas_dgemm(row_major, no_trans, trans, 20, 30, 10, 1, a, 40, b, 40, 0, c, 40);
  const double dot = cblas_ddot(10, a, 1, b, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("ddot %g, dsdot %g\n", dot, cblas_dsdot(1, &x, 1, &x, 1));
  MPI_Finalize();
  return 0;
}
