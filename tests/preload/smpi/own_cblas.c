/* A CBLAS that its results identify. The simulator itself needs another one (GSL's) with the same names. */
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy);
double cblas_dsdot(int n, const float* x, int incx, const float* y, int incy);
void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
                 double beta, double* c, int ldc);

double cblas_ddot(int n, const double* x, int incx, const double* y, int incy) {
  (void)n, (void)x, (void)incx, (void)y, (void)incy;
  return 42;
}

double cblas_dsdot(int n, const float* x, int incx, const float* y, int incy) {
  (void)n, (void)x, (void)incx, (void)y, (void)incy;
  return 43;
}

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha, const double* a, int lda, const double* b, int ldb,
                 double beta, double* c, int ldc) {
  (void)order, (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta;
  (void)c, (void)ldc;
}
