// A blocked L D L^T factorisation that no library has: ldlt NB left|right N [solve|verify]. NB may be the name of a file with the number, or -
// for the variable LDLT_NB. `solve` iterates until a result is good enough, so that its calls depend on results; `verify` ends with exit code 3
// where the factors are wrong.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*, const int*, double*,
            const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
            double*, const int*);
double dnrm2_(const int*, const double*, const int*);

static const double one = 1, minus = -1, zero = 0;
static const int unit = 1;

static double* at(double* a, int n, int i, int j) { return a + i + (size_t)j * n; }

// Factors the m x m diagonal block by loops.
static void factor_diagonal(double* a, int n, int m) {
  for (int j = 0; j < m; ++j) {
    for (int i = j + 1; i < m; ++i) {
      const double l = *at(a, n, i, j) / *at(a, n, j, j);
      for (int k = i; k < m; ++k) {
        *at(a, n, k, i) -= l * *at(a, n, k, j);
      }
    }
    for (int i = j + 1; i < m; ++i) {
      *at(a, n, i, j) /= *at(a, n, j, j);
    }
  }
}

// Solves for the m x b panel below the diagonal block at k; w gets the panel times D.
static void solve_panel(double* a, int n, int k, int b, double* w) {
  const int m = n - k - b;
  double* panel = at(a, n, k + b, k);
  dtrsm_("R", "L", "T", "U", &m, &b, &one, at(a, n, k, k), &n, panel, &n);
  for (int j = 0; j < b; ++j) {
    const double d = *at(a, n, k + j, k + j);
    for (int i = 0; i < m; ++i) {
      *at(w, n, i, j) = *at(panel, n, i, j);
      *at(panel, n, i, j) /= d;
    }
  }
}

static int least(int a, int b) { return a < b ? a : b; }

static void right_looking(double* a, int n, int nb, double* w) {
  for (int k = 0; k < n; k += nb) {
    const int b = least(nb, n - k);
    factor_diagonal(at(a, n, k, k), n, b);
    if (k + b == n) {
      break;
    }
    solve_panel(a, n, k, b, w);
    for (int j = k + b; j < n; j += nb) {
      const int columns = least(nb, n - j), rows = n - j;
      dgemm_("N", "T", &rows, &columns, &b, &minus, at(a, n, j, k), &n, at(w, n, j - k - b, 0), &n, &one, at(a, n, j, j), &n);
    }
  }
}

static void left_looking(double* a, int n, int nb, double* w) {
  for (int k = 0; k < n; k += nb) {
    const int b = least(nb, n - k), rows = n - k;
    if (k > 0) {
      for (int j = 0; j < k; ++j) {
        for (int i = 0; i < b; ++i) {
          *at(w, n, i, j) = *at(a, n, k + i, j) * *at(a, n, j, j);
        }
      }
      dgemm_("N", "T", &rows, &b, &k, &minus, at(a, n, k, 0), &n, w, &n, &one, at(a, n, k, k), &n);
    }
    factor_diagonal(at(a, n, k, k), n, b);
    if (k + b < n) {
      solve_panel(a, n, k, b, w);
    }
  }
}

static int block_size(const char* text) {
  if (strcmp(text, "-") == 0) {
    const char* value = getenv("LDLT_NB");
    return value != NULL ? atoi(value) : 0;
  }
  int nb = atoi(text);
  FILE* file = fopen(text, "r");
  if (file != NULL) {
    if (fscanf(file, "nb = %d", &nb) != 1) {
      nb = 0;
    }
    fclose(file);
  }
  return nb;
}

int main(int argc, char** argv) {
  const int n = argc > 3 ? atoi(argv[3]) : 0;
  const int nb = argc > 3 ? block_size(argv[1]) : 0;
  const char* what = argc > 4 ? argv[4] : "";
  if (n < 1 || nb < 1 || nb > n) {
    fprintf(stderr, "usage: ldlt NB left|right N [solve|verify]\n");
    return 2;
  }
  double* a = malloc(sizeof(double) * n * n);
  double* w = malloc(sizeof(double) * n * n);
  double* x = malloc(sizeof(double) * n * 2);
  unsigned seed = 1;
  for (size_t i = 0; i < (size_t)n * n; ++i) {
    seed = seed * 1664525U + 1013904223U;
    a[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
  }
  for (int i = 0; i < n; ++i) {
    *at(a, n, i, i) = n;
  }
  memset(w, 0, sizeof(double) * n * n);
  strcmp(argv[2], "left") == 0 ? left_looking(a, n, nb, w) : right_looking(a, n, nb, w);
  if (strcmp(what, "verify") == 0) {
    return fabs(*at(a, n, n - 1, n - 1) - n) < 1e-9 ? 3 : 0;  // the updates change the last pivot
  }
  if (strcmp(what, "solve") == 0) {
    for (int i = 0; i < n; ++i) {
      x[i] = 1;
    }
    for (int step = 0; step < 1000 && dnrm2_(&n, x, &unit) > 1e-3; ++step) {  // L without its diagonal shrinks any vector
      dgemv_("N", &n, &n, &one, a, &n, x, &unit, &zero, x + n, &unit);
      for (int i = 0; i < n; ++i) {
        x[i] = x[n + i] / n / (step + 2);
      }
    }
  }
  printf("%g\n", *at(a, n, n - 1, n - 1));
  return 0;
}
