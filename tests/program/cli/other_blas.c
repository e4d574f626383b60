/* A BLAS that computes calls in place of threaded_blas.c: with a number of threads of its own, and without CBLAS. */
#include <stdio.h>

static int threads = 1;
void openblas_set_num_threads(int count) { threads = count; }
int openblas_get_num_threads(void) { return threads; }
void xerbla_(const char* routine, const int* place) { printf("other xerbla: %s %d\n", routine, *place); }

/* Calls the library's functions through the dynamic linker. Threads are this library's, and errors are reported as the program does. */
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k) {
  const int place = 4;
  (void)n, (void)k;
  printf("other dgemm%c%c %d: %d\n", *transa, *transb, *m, openblas_get_num_threads());
  xerbla_("dgemm", &place);
}
