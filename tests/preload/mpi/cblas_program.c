/* Calls BLAS by its C interface and LAPACK by LAPACKE, mostly with row-major matrices, and prints the results. Argument: number of
   repetitions. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { row_major = 101, no_trans = 111, trans = 112, upper = 121, lower = 122, non_unit = 131, left = 141 };

void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double*, int, double*, int);
void cblas_dgemv(int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_zgerc(int, int, int, const void*, const void*, int, const void*, int, void*, int);
void cblas_dscal(int, double, double*, int);
double cblas_ddot(int, const double*, int, const double*, int);
void cblas_zdotc_sub(int, const void*, int, const void*, int, void*);
size_t cblas_idamax(int, const double*, int);
int LAPACKE_dpotrf(int, char, int, double*, int);

enum { order = 40 };

static double a[order * order], b[order * order], c[order * order], z[2 * order * order];

static void fill(void) {
  for (int i = 0; i < order * order; ++i) {
    a[i] = (i % (order + 1) == 0 ? order : 0) + 1.0 / (1 + i % 7);
    b[i] = 1.0 / (1 + i % 5);
    c[i] = 0;
    z[2 * i] = 1.0 / (1 + i % 3);
    z[2 * i + 1] = -0.5;
  }
}

static double sum(const double* x, int count) {
  double total = 0;
  for (int i = 0; i < count; ++i) total += x[i];
  return total;
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  const double alpha[2] = {0.5, 0.25};
  double dot[2] = {0, 0};
  MPI_Init(&argc, &argv);
  for (int i = 0; i < times; ++i) {
    fill();
    cblas_dgemm(row_major, no_trans, trans, 20, 30, 10, 1, a, order, b, order, 1, c, order);
    cblas_dtrsm(row_major, left, upper, no_trans, non_unit, 20, 30, 1, a, order, c, order);
    cblas_dgemv(row_major, no_trans, 12, 24, 2, a, order, b, 1, 0, c, 1);
    cblas_zgerc(row_major, 6, 9, alpha, z, 1, z + 40, 1, z + 400, order);
    cblas_dscal(25, 0.5, b, 1);
    cblas_zdotc_sub(5, z, 1, z + 20, 1, dot);
    const double product = cblas_ddot(33, b, 1, c, 1);
    const size_t place = cblas_idamax(17, b + 3, 1);
    const int info = LAPACKE_dpotrf(row_major, 'L', 15, a, order);
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == times - 1)
      printf("%.12g %.12g %.12g %.12g %.12g %zu %d\n", sum(c, order * order), sum(z, 2 * order * order), dot[0], dot[1], product, place,
             info);
  }
  MPI_Finalize();
  return 0;
}
