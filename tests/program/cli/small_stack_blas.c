/* Routines of BLAS and LAPACK that need almost no stack, so that the rest of a call's stack is the preloaded library's. */
#include <stddef.h>
#include <stdint.h>

double ddot_(const int* n, const double* x, const int* incx, const double* y, const int* incy) {
  double sum = 0;
  for (int i = 0; i < *n; ++i) {
    sum += x[i * *incx] * y[i * *incy];
  }
  return sum;
}
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) { return ddot_(&n, x, &incx, y, &incy); }
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)lda, (void)ldb, (void)ldc;
  c[0] = *alpha * a[0] * b[0] + *beta * c[0];
}
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info) {
  (void)m, (void)n, (void)a, (void)lda;
  pivots[0] = 1;
  *info = 0;
}
void dgttrf_(const int* n, double* dl, double* d, double* du, double* du2, int* pivots, int* info) {
  (void)n, (void)dl, (void)d, (void)du, (void)du2, (void)pivots;
  *info = 0;
}
int ilaenv_(const int* ispec, const char* name, const char* opts, const int* n1, const int* n2, const int* n3, const int* n4) {
  (void)name, (void)opts, (void)n1, (void)n2, (void)n3, (void)n4;
  return *ispec == 1 ? 32 : 1;
}
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork, int* info) {
  static const int ispec = 1, none = -1;
  (void)a, (void)lda, (void)tau;
  work[0] = *n * (double)ilaenv_(&ispec, "DGEQRF", " ", m, n, &none, &none);
  *info = *lwork == -1 || *lwork >= *n ? 0 : -7;
}
static char buffer[64];
void* blas_memory_alloc(int position) { return position >= 0 ? buffer : NULL; }
void blas_memory_free(void* given) { (void)given; }
