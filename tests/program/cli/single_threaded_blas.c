/* A BLAS built for one thread, as OpenBLAS can be: its buffers are in a table without a lock. A thread that finds a buffer free sleeps
   before it takes it. Two concurrent threads therefore get the same buffer, and report it by a product of -1. */
#include <time.h>

enum { buffers = 4 };
static volatile int taken[buffers];
static double memory[buffers];

#ifndef CONFIG
#define CONFIG "OpenBLAS 0.0.0 SINGLE_THREADED"
#endif
const char* openblas_get_config(void) { return CONFIG; }
int openblas_get_parallel(void) { return 0; }

void* blas_memory_alloc(int position) {
  (void)position;
  for (int i = 0; i < buffers; ++i) {
    if (taken[i] == 0) {
      nanosleep(&(struct timespec){0, 1000000}, 0);
      ++taken[i];
      return &memory[i];
    }
  }
  return 0;
}

void blas_memory_free(void* buffer) { --taken[(double*)buffer - memory]; }

/* Multiplies matrices of order 1. */
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc) {
  (void)transa, (void)transb, (void)m, (void)n, (void)k, (void)alpha, (void)lda, (void)ldb, (void)beta, (void)ldc;
  double* buffer = blas_memory_alloc(0);
  *buffer = *a * *b;
  nanosleep(&(struct timespec){0, 1000000}, 0);
  *c = taken[buffer - memory] == 1 ? *buffer : -1;
  blas_memory_free(buffer);
}

void dgeqrf_(void) {}
