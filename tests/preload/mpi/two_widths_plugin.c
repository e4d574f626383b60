/* A plug-in with a BLAS of its own, whose integers are INTEGER. */
#include <stdint.h>

void dgemm_(const char*, const char*, const INTEGER*, const INTEGER*, const INTEGER*, const double*, const double*, const INTEGER*,
            const double*, const INTEGER*, const double*, double*, const INTEGER*);
double ddot_(const INTEGER*, const double*, const INTEGER*, const double*, const INTEGER*);

/* The integers' neighbours aren't 0. */
double product(int order, const double* a, const double* b, double* c) {
  volatile INTEGER pad[8];
  for (int i = 0; i < 8; ++i) {
    pad[i] = -1;
  }
  const INTEGER n[3] = {order, -1, -1}, one[2] = {1, -1}, all[2] = {order * order, -1};
  const double alpha = 1, beta = 0;
  dgemm_("N", "N", n, n, n, &alpha, a, n, b, n, &beta, c, n);
  return ddot_(all, c, one, c, one);
}

/* Compiled to a jump, so that BLAS isn't called from this library, as far as its return address shows. */
double dot_by_jump(const INTEGER* n, const double* x) {
  static const INTEGER one = 1;
  return ddot_(n, x, &one, x, &one);
}
