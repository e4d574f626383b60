/* Solves a system whose solution is all ones with a LAPACK of 64-bit integers, and checks all outputs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t integer;
void dgetrf_(const integer* m, const integer* n, double* a, const integer* lda, integer* pivots, integer* info);
void dgetrs_(const char* trans, const integer* n, const integer* nrhs, const double* a, const integer* lda, const integer* pivots,
             double* b, const integer* ldb, integer* info);
integer idamax_(const integer* n, const double* x, const integer* incx);

int main(void) {
  const integer n = 60, one = 1;
  double* a = malloc((size_t)(n * n) * sizeof *a);
  double* b = calloc((size_t)n, sizeof *b);
  integer* pivots = malloc((size_t)n * sizeof *pivots);
  integer factored = -7, solved = -7, legal = 0;
  double error = 0;
  srand(1);
  for (integer i = 0; i < n * n; ++i) {
    a[i] = rand() / (double)RAND_MAX;
    b[i % n] += a[i];
  }
  for (integer i = 0; i < n; ++i) {
    pivots[i] = -1;
  }
  dgetrf_(&n, &n, a, &n, pivots, &factored);
  dgetrs_("N", &n, &one, a, &n, pivots, b, &n, &solved);
  for (integer i = 0; i < n; ++i) {
    error = fmax(error, fabs(b[i] - 1));
    legal += pivots[i] > i && pivots[i] <= n;
  }
  b[17] = -100;
  printf("info %lld %lld, %lld legal pivots, largest at %lld, %s\n", (long long)factored, (long long)solved, (long long)legal,
         (long long)idamax_(&n, b, &one), error < 1e-8 ? "solved" : "not solved");
  return 0;
}
