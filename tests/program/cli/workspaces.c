/* Calls LAPACK with unusual arguments: QR of order `n` with a workspace for blocks of 32 columns only, and the reduction of an upper
   triangle. */
#include <stdio.h>
#include <stdlib.h>

void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dsytrd_(const char*, const int*, double*, const int*, double*, double*, double*, double*, const int*, int*, size_t);

int main(void) {
  enum { n = 200, columns = 32 };
  static double a[n * n], d[n], e[n], tau[n], work[columns * n];
  const int order = n, size = columns * n;
  int info = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = (i * 37 % 101) / 101.0;
  }
  dgeqrf_(&order, &order, a, &order, tau, work, &size, &info);
  dsytrd_("U", &order, a, &order, d, e, tau, work, &size, &info, 1);
  printf("info %d\n", info);
  return info;
}
