// Calls dgemm with the illnesses that its arguments name: denormals, nan, small, healthy, own (code), touch (memory). Usage: ill_program ILLNESS...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha, const double* a,
            const int* lda, const double* b, const int* ldb, const double* beta, double* c, const int* ldc);

void daxpy_(const int* n, const double* alpha, const double* x, const int* incx, double* y, const int* incy);

enum { most = 256 };
static double a[most * most], b[most * most], c[most * most];

static void multiply(int n, int times, double element) {
  const double one = 1, zero = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = element;
    b[i] = 0.5;
  }
  for (int i = 0; i < times; ++i) {
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
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
      multiply(200, 60, 1e-310);
    } else if (strcmp(argv[i], "nan") == 0) {
      multiply(224, 60, NAN);
    } else if (strcmp(argv[i], "small") == 0) {
      multiply(3, 200000, 2);
    } else if (strcmp(argv[i], "touch") == 0) {
      touch();
    } else if (strcmp(argv[i], "own") == 0) {
      own_work();
    } else if (strcmp(argv[i], "healthy") == 0) {
      multiply(most, 60, 2);
    } else {
      fprintf(stderr, "ill_program: no illness %s\n", argv[i]);
      return 2;
    }
  }
  printf("done\n");
  return argc > 1 ? 3 : 0;  // a code of its own
}
