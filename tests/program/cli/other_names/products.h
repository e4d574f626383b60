/* Products of matrices of ones, whose elements are all 10. */
#include <stdio.h>

enum { order = 10 };

static int is_right(const double* c) {
  for (int i = 0; i < order * order; ++i) {
    if (c[i] != order) {
      return 0;
    }
  }
  return 1;
}

static void fill(double* a, double value) {
  for (int i = 0; i < order * order; ++i) {
    a[i] = value;
  }
}

#define FORTRAN_PRODUCT(dgemm, integer)                            \
  {                                                                \
    const integer n = order;                                       \
    const double one = 1, zero = 0;                                \
    double a[order * order], c[order * order];                     \
    fill(a, 1);                                                    \
    fill(c, 0);                                                    \
    dgemm("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n); \
    puts(is_right(c) ? "right" : "wrong");                         \
  }

#define C_PRODUCT(cblas_dgemm)                                                               \
  {                                                                                          \
    double a[order * order], c[order * order];                                               \
    fill(a, 1);                                                                              \
    fill(c, 0);                                                                              \
    cblas_dgemm(101, 111, 111, order, order, order, 1.0, a, order, a, order, 0.0, c, order); \
    puts(is_right(c) ? "right" : "wrong");                                                   \
  }

#define FORTRAN_DGEMM(name, integer)                                                                                                \
  void name(const char*, const char*, const integer*, const integer*, const integer*, const double*, const double*, const integer*, \
            const double*, const integer*, const double*, double*, const integer*)
#define C_DGEMM(name, integer) \
  void name(int, int, int, integer, integer, integer, double, const double*, integer, const double*, integer, double, double*, integer)
