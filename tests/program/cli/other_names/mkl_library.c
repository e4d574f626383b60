/* A BLAS with MKL's names. */
#define ALIAS(name) void name() __attribute__((alias("dgemm_")))

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  (void)transa;
  (void)transb;
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0;
      for (int l = 0; l < *k; ++l) {
        sum += a[i + l * *lda] * b[l + j * *ldb];
      }
      c[i + j * *ldc] = *alpha * sum + *beta * c[i + j * *ldc];
    }
  }
}
ALIAS(dgemm);
ALIAS(DGEMM);
ALIAS(DGEMM_);
