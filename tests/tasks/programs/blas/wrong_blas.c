/* dgemm as it should be, but for one shape with a wrong element, one that ends the process, and larger ones with two threads. */
#include <stdlib.h>

static int threads;
void openblas_set_num_threads(int count) { threads = count; }
int openblas_get_num_threads(void) {
  const char* variable = getenv("OMP_NUM_THREADS");
  return threads != 0 ? threads : variable ? atoi(variable) : 1;
}

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
  if (*m >= 23 && *n >= 23 && openblas_get_num_threads() == 2) {
    c[0] += 1e-3;
  }
  if (*m == 13 && *n == 13) {
    abort();
  }
}
