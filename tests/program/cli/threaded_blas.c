/* A BLAS with a number of threads for the whole process, as OpenBLAS has it. Each routine prints its name and the number in force. */
#include <stdio.h>

static int threads = 4;
void openblas_set_num_threads(int count) { threads = count; }
int openblas_get_num_threads(void) { return threads; }

void xerbla_(const char* routine, const int* place) { printf("xerbla: %s %d\n", routine, *place); }

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k) {
  (void)n, (void)k;
  printf("dgemm%c%c %d: %d\n", *transa, *transb, *m, threads);
}
void cblas_dgemm(int order, int transa, int transb, int m) { printf("cblas_dgemm %d %d %d %d: %d\n", order, transa, transb, m, threads); }
void dgemv_(void) { printf("dgemv: %d\n", threads); }
void dsyrk_(const char* uplo, const char* trans, const int* n) { printf("dsyrk%c%c %d: %d\n", *uplo, *trans, *n, threads); }

/* Calls dgemm of order 2000 through the dynamic linker, as LAPACK calls BLAS. */
void dgetrf_(const int* m) {
  const int large = 2000;
  printf("dgetrf %d: %d\n", *m, threads);
  dgemm_("N", "N", &large, &large, &large);
}
