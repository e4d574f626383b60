/* A BLAS with 64-bit integers and the names in Julia's build of OpenBLAS. It calls the reference BLAS, which has the usual names. */
#include <stdint.h>
#include "products.h"

typedef int64_t integer;
FORTRAN_DGEMM(dgemm_, integer);
C_DGEMM(cblas_dgemm, integer);
double ddot_(const integer* n, const double* x, const integer* incx, const double* y, const integer* incy);

void dgemm_64_(const char* transa, const char* transb, const integer* m, const integer* n, const integer* k, const double* alpha,
               const double* a, const integer* lda, const double* b, const integer* ldb, const double* beta, double* c,
               const integer* ldc) {
  dgemm_(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_dgemm64_(int order, int transa, int transb, integer m, integer n, integer k, double alpha, const double* a, integer lda,
                    const double* b, integer ldb, double beta, double* c, integer ldc) {
  cblas_dgemm(order, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

double ddot_64_(const integer* n, const double* x, const integer* incx, const double* y, const integer* incy) {
  return ddot_(n, x, incx, y, incy);
}
