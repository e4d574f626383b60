// Calls BLAS and LAPACK with the illnesses that its arguments name, or healthily. Usage: ill_program ILLNESS...
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc);

void daxpy_(const int* n, const double* alpha, const double* x, const int* incx, double* y, const int* incy);

void dsyev_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work, const int* lwork,
            int* info);

void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work, const int* lwork,
             int* iwork, const int* liwork, int* info);

enum { most = 256, callers = 4 };
static double a[most * most], b[most * most], c[callers][most * most];

static __typeof__(dgemm_)* dgemm = dgemm_;

static void multiply(const char* transa, int n, int times, double element) {
  const double one = 1, zero = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = element;
    b[i] = 0.5;
  }
  for (int i = 0; i < times; ++i) {
    dgemm(transa, "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c[0], &n);
  }
}

// Multiplies denormal numbers for a tenth of a second of CPU time: by a few calls on some CPUs, by hundreds on others.
static void multiply_denormals(void) {
  for (const clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) {
    multiply("N", 200, 1, 1e-310);
  }
}

// Calls dgemm of a library that is loaded beside the program's own.
static void multiply_with(const char* file) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  *(void**)&dgemm = library != NULL ? dlsym(library, "dgemm_") : NULL;
  multiply("N", 208, 60, 2);
  dgemm = dgemm_;
}

// Gives OpenBLAS so many threads, whatever the process may use.
static void set_threads(int threads) {
  void (*set)(int) = NULL;
  *(void**)&set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  set(threads);
}

static pthread_barrier_t all_ready;

static void* call(void* result) {
  const double one = 1, zero = 0;
  const int n = most;
  pthread_barrier_wait(&all_ready);
  for (int i = 0; i < 30; ++i) {
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, result, &n);
  }
  return NULL;
}

// Calls dgemm by several threads at once.
static void call_at_once(void) {
  pthread_t threads[callers];
  pthread_barrier_init(&all_ready, NULL, callers);
  for (int i = 0; i < callers; ++i) {
    pthread_create(&threads[i], NULL, call, c[i]);
  }
  for (int i = 0; i < callers; ++i) {
    pthread_join(threads[i], NULL);
  }
}

// Adds vectors whose elements aren't neighbours.
static void add_strided(void) {
  const int n = most * most / 16, step = 16;
  const double one = 1;
  for (int i = 0; i < 900; ++i) {
    daxpy_(&n, &one, a, &step, b, &step);
  }
}

// Solves eigenproblems by the QR algorithm, or by the faster divide and conquer.
static void find_eigenvalues(int by_qr) {
  static double work[8 * most * most], values[most];
  static int iwork[8 * most];
  const int n = 128, lwork = 8 * most * most, liwork = 8 * most;
  for (int i = 0, info = 0; i < 6; ++i) {
    for (int j = 0; j < n * n; ++j) {
      a[j] = (double)(j * 7919 % 1009) / 1009;
    }
    if (by_qr) {
      dsyev_("V", "L", &n, a, &n, values, work, &lwork, &info);
    } else {
      dsyevd_("V", "L", &n, a, &n, values, work, &lwork, iwork, &liwork, &info);
    }
  }
}

// Touches memory for the first time in the first of several calls.
static void touch(void) {
  const int n = 8000000, step = 1;
  const double one = 1;
  double* x = calloc((size_t)n, sizeof *x);
  double* y = calloc((size_t)n, sizeof *y);
  for (int i = 0; i < 20 && x != NULL && y != NULL; ++i) {
    daxpy_(&n, &one, x, &step, y, &step);
  }
  free(x);
  free(y);
}

// Computes outside of BLAS for half a second of CPU time.
void own_work(void) {
  volatile double sum = 0;
  for (const clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;) {
    for (int i = 1; i < 100000; ++i) {
      sum += 1.0 / i;
    }
  }
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "denormals") == 0) {
      multiply_denormals();
    } else if (strcmp(argv[i], "nan") == 0) {
      multiply("N", 224, 60, NAN);
    } else if (strcmp(argv[i], "small") == 0) {
      multiply("N", 3, 200000, 2);
    } else if (strcmp(argv[i], "touch") == 0) {
      touch();
    } else if (strcmp(argv[i], "own") == 0) {
      own_work();
    } else if (strcmp(argv[i], "transposed") == 0) {
      multiply("T", 240, 60, 2);
    } else if (strcmp(argv[i], "strided") == 0) {
      add_strided();
    } else if (strncmp(argv[i], "threads=", 8) == 0) {
      set_threads(atoi(argv[i] + 8));
    } else if (strcmp(argv[i], "callers") == 0) {
      call_at_once();
    } else if (strncmp(argv[i], "with=", 5) == 0) {
      multiply_with(argv[i] + 5);
    } else if (strcmp(argv[i], "dsyev") == 0 || strcmp(argv[i], "dsyevd") == 0) {
      find_eigenvalues(strcmp(argv[i], "dsyev") == 0);
    } else if (strcmp(argv[i], "healthy") == 0) {
      multiply("N", most, 60, 2);
    } else {
      fprintf(stderr, "ill_program: no illness %s\n", argv[i]);
      return 2;
    }
  }
  printf("done\n");
  return argc > 1 ? 3 : 0;  // a code of its own
}
