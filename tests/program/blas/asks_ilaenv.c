/* Prints the answers of ilaenv to the queries on standard input: "NAME OPTIONS N1 N2 N3 N4", one line of NB, NBMIN and NX for each, then
   the answers to all other ISPEC. Last comes the block size that dgeqrf takes for order 500, from the workspace that it asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int ilaenv_(const int* ispec, const char* name, const char* opts, const int* n1, const int* n2, const int* n3, const int* n4,
                   size_t name_length, size_t opts_length);
extern void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork, int* info);

int main(void) {
  char name[32], opts[32];
  int n1, n2, n3, n4;
  while (scanf("%31s %31s %d %d %d %d", name, opts, &n1, &n2, &n3, &n4) == 6) {
    for (int ispec = 1; ispec <= 3; ++ispec) {
      printf("%d ", ilaenv_(&ispec, name, opts, &n1, &n2, &n3, &n4, strlen(name), strlen(opts)));
    }
    printf("%s %s %d %d %d %d\n", name, opts, n1, n2, n3, n4);
  }
  for (int ispec = -1; ispec <= 20; ++ispec) {
    const int n = 500, low = 1, none = -1;
    printf("ispec %d: %d\n", ispec, ilaenv_(&ispec, "DHSEQR", "SV", &n, &low, &n, &none, 6, 2));
  }
  const int n = 500, query = -1;
  int info = 0;
  double a = 0, tau = 0, work = 0;
  dgeqrf_(&n, &n, &a, &n, &tau, &work, &query, &info);
  printf("dgeqrf takes %d\n", (int)(work / n));
  return info;
}
