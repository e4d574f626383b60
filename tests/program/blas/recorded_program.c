/* Program that the tests record: calls of BLAS by their Fortran and C names, and different endings. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { order = 64, row_major = 101, no_trans = 111, trans = 112, upper = 121, left = 141, non_unit = 131 };

void daxpy_(const int*, const double*, const double*, const int*, double*, const int*);
double dnrm2_(const int*, const double*, const int*);
double dlansy_(const char*, const char*, const int*, const double*, const int*, double*, size_t, size_t);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*, size_t, size_t);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
            double*, const int*, size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*, const double*, double*, const int*,
            size_t, size_t);
void dpotrf_(const char*, const int*, double*, const int*, int*, size_t);
void dgesvd_(const char*, const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*, const int*,
             double*, const int*, int*, size_t, size_t);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void cblas_dgemm(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double*, int, double*, int);
void cblas_zdotu_sub(int, const void*, int, const void*, int, void*);
size_t cblas_idamax(int, const double*, int);

static double a[order * order], b[order * order], c[order * order];

static void fill(double* matrix) {
  for (int i = 0; i < order * order; ++i) {
    matrix[i] = i % (order + 1) == 0 ? 100 : 0.01 * (i % 7);
  }
}

static void axpys(int count) {
  const int n = 4, one = 1;
  const double alpha = 2;
  double x[4] = {1, 1, 1, 1}, y[4] = {0, 0, 0, 0};
  for (int i = 0; i < count; ++i) {
    daxpy_(&n, &alpha, x, &one, y, &one);
  }
}

static void* thread(void* unused) {
  axpys(3000);
  return unused;
}

static void threads(void) {
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) {
    pthread_create(&all[i], NULL, thread, NULL);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(all[i], NULL);
  }
}

/* Prints results of all interfaces, which must be the same whether recorded or not. */
static void interfaces(void) {
  const int n = order, nn = order * order, one = 1;
  const double alpha = 1, beta = 0;
  double z[2] = {0, 0};
  dgemm_("N", "T", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
  cblas_dgemm(row_major, no_trans, trans, 8, 16, 32, 1, a, order, b, order, 0, c, order);
  cblas_dtrsm(row_major, left, upper, no_trans, non_unit, 8, 16, 1, a, order, c, order);
  cblas_zdotu_sub(5, a, 1, b, 1, z);
  printf("%.10g %.10g %.10g %zu\n", dnrm2_(&nn, c, &one), dlansy_("F", "U", &n, c, &n, NULL, 1, 1), z[0], cblas_idamax(5, a, 1));
}

/* Computes a product that a dry run skips, and prints whether its norm, or that of an operand, is positive. */
static void product(int look_at_it) {
  const int n = order, nn = order * order, one = 1;
  const double alpha = 1, beta = 0;
  dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
  const double norm = look_at_it ? dnrm2_(&nn, c, &one) : dnrm2_(&nn, a, &one);
  printf("%d\n", norm > 0);
}

/* Computes products with numbers below the smallest normal one, with undefined results (0 times Inf), and with ordinary numbers. */
static void odd_numbers(void) {
  const int n = order;
  const double alpha = 1, beta = 0;
  const double first[3] = {1e-310, 1e300 * 1e300, 1};
  for (int i = 0; i < 3; ++i) {
    a[0] = first[i];
    b[0] = i == 1 ? 0 : 1;
    dgemm_("N", "N", &n, &n, &n, &alpha, a, &n, b, &n, &beta, c, &n, 1, 1);
  }
}

/* Multiplies a matrix without and with a quiet NaN by another one, as CBLAS's row-major order has it and by a vector. */
static void not_a_number(void) {
  enum { size = 512 };
  static double x[size * size], y[size * size], z[size * size];
  const int n = size, one = 1;
  const double alpha = 1, beta = 0;
  dgemm_("N", "N", &n, &n, &n, &alpha, x, &n, y, &n, &beta, z, &n, 1, 1);
  const unsigned long long bits = 0x7ff8000000000000ULL;
  memcpy(&x[7 * size + 5], &bits, sizeof bits);
  dgemm_("N", "N", &n, &n, &n, &alpha, x, &n, y, &n, &beta, z, &n, 1, 1);
  cblas_dgemm(row_major, no_trans, no_trans, n, n, n, alpha, y, n, x, n, beta, z, n);
  dgemv_("N", &n, &n, &alpha, x, &n, y, &one, &beta, z, &one, 1);
  dsyrk_("L", "N", &n, &n, &alpha, y, &n, &beta, z, &n, 1, 1);
}

/* Computes singular values of ordinary numbers. */
static void singular_values(void) {
  const int n = order, size = order * order;
  int info = 0;
  static double values[order], u[order * order], vt[order * order], work[order * order];
  for (int i = 0; i < order * order; ++i) {
    a[i] = (i * 37 % 101) / 101.0;
  }
  dgesvd_("A", "A", &n, &n, a, &n, values, u, &n, vt, &n, work, &size, &info, 1, 1);
}

/* Computes QR with a workspace size that was not queried, then with one that was. */
static void workspaces(void) {
  const int n = order, minus_one = -1;
  int size = order, info = 0;
  static double tau[order], work[order * order];
  dgeqrf_(&n, &n, a, &n, tau, work, &size, &info);
  dgeqrf_(&n, &n, a, &n, tau, work, &minus_one, &info);
  size = order * order;
  dgeqrf_(&n, &n, a, &n, tau, work, &size, &info);
}

static void factor(void) {
  const int n = order;
  int info = -1;
  a[0] = -1; /* not definite */
  dpotrf_("L", &n, a, &n, &info, 1);
  printf("%d\n", info);
}

/* A workspace that is much longer than the routine needs. */
static void long_workspace(void) {
  const int n = order, size = 4000000;
  int info = -1;
  double* work = malloc(size * sizeof *work);
  fill(a);
  dgeqrf_(&n, &n, a, &n, b, work, &size, &info);
  free(work);
}

static void child(int by_exec, const char* self) {
  if (fork() == 0) {
    if (by_exec) {
      execl(self, self, "plain", (char*)NULL);
    }
    axpys(7);
    _exit(0);
  }
  wait(NULL);
}

/* Computes for 0.3 s of CPU time between short waits, and forks. Returns how many waits ended early. */
static int compute(void) {
  int early = 0;
  volatile double sum = 0;
  for (const clock_t end = clock() + 3 * CLOCKS_PER_SEC / 10; clock() < end;) {
    for (int i = 1; i < 20000; ++i) {
      sum += 1.0 / i;
    }
    early += poll(NULL, 0, 1) < 0;
  }
  if (fork() == 0) {
    exit(0);
  }
  early += wait(NULL) < 0;
  return early;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "plain";
  fill(a);
  fill(b);
  if (strcmp(what, "compute") == 0) {
    return compute();
  }
  if (strcmp(what, "interfaces") == 0) {
    interfaces();
    return 0;
  }
  if (strcmp(what, "look") == 0 || strcmp(what, "look-away") == 0) {
    product(strcmp(what, "look") == 0);
    return 0;
  }
  if (strcmp(what, "factor") == 0) {
    factor();
    return 0;
  }
  if (strcmp(what, "long-workspace") == 0) {
    long_workspace();
    return 0;
  }
  if (strcmp(what, "odd-numbers") == 0) {
    odd_numbers();
    return 0;
  }
  if (strcmp(what, "not-a-number") == 0) {
    not_a_number();
    return 0;
  }
  if (strcmp(what, "singular-values") == 0) {
    singular_values();
    return 0;
  }
  if (strcmp(what, "workspaces") == 0) {
    workspaces();
    return 0;
  }
  axpys(5000);
  if (strcmp(what, "threads") == 0) {
    threads();
  } else if (strcmp(what, "fork") == 0 || strcmp(what, "exec") == 0) {
    child(strcmp(what, "exec") == 0, arguments[0]);
  } else if (strcmp(what, "abort") == 0) {
    abort();
  } else if (strcmp(what, "kill") == 0) {
    kill(getpid(), SIGKILL);
  } else if (strcmp(what, "_exit") == 0) {
    _exit(3);
  }
  return 0;
}
