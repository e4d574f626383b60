/* dgemm as it should be, but for one shape with a wrong element, and one that ends the process. */
#include <stdlib.h>

static double element(const double* a, int lda, char trans, int i, int j) { return trans == 'N' ? a[i + j * lda] : a[j + i * lda]; }

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0;
      for (int l = 0; l < *k; ++l) {
        sum += *alpha == 0 ? 0 : element(a, *lda, *transa, i, l) * element(b, *ldb, *transb, l, j);
      }
      c[i + j * *ldc] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[i + j * *ldc]);
    }
  }
  if (*m == 37 && *n == 11 && *k == 5) {
    c[36 + 10 * *ldc] *= 1.0001;
  }
  if (*m == 13 && *n == 13) {
    abort();
  }
}
