/* Factors a symmetric positive definite n x n matrix with LAPACK's dpotrf, and prints the residual |A - L L'|, relative to n: small if all
   went well.
     for      users who look for what makes a C program slow
     build    cc -O2 examples/programs/cholesky.c -o cholesky -l:liblapack.so.3 -l:libblas.so.3 -lm
     run      flopcast run --report --lapack reference -- ./cholesky 1000
     picture  flopcast record --output cholesky.trace -- ./cholesky 1000 && flopcast profile cholesky.trace --figure cholesky.svg
     read     docs/howto/why_slow.md */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, size_t uplo_length);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a, const int* lda,
            const double* beta, double* c, const int* ldc, size_t uplo_length, size_t trans_length);

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 500;
  const double one = 1, minus_one = -1;
  double* a = malloc(sizeof(double) * (size_t)n * (size_t)n);
  double* l = calloc((size_t)n * (size_t)n, sizeof(double));
  double worst = 0;
  int info = 0;
  if (n < 1 || a == NULL || l == NULL) {
    fprintf(stderr, "usage: cholesky [n], with n >= 1\n");
    return 2;
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double value = i == j ? n : 1.0 / (1 + abs(i - j));
      a[i + (size_t)j * (size_t)n] = value;
      l[i + (size_t)j * (size_t)n] = i >= j ? value : 0;
    }
  }
  dpotrf_("L", &n, l, &n, &info, 1);
  if (info != 0) {
    fprintf(stderr, "dpotrf: info = %d\n", info);
    return 1;
  }
  dsyrk_("L", "N", &n, &n, &minus_one, l, &n, &one, a, &n, 1, 1);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      worst = fmax(worst, fabs(a[i + (size_t)j * (size_t)n]));
    }
  }
  printf("residual %.2e\n", worst / n);
  free(a);
  free(l);
  return worst < 1e-13 * n ? 0 : 1;
}
