/* Two threads call BLAS at the same time and check the products: `two_threads [pthreads|openmp|fork] [order] [calls]`. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);

enum { most = 24 };
static int n, calls;

/* Returns the number of wrong products of the constant matrix `value` with itself. */
static long wrong_products(double value) {
  double a[most * most], c[most * most];
  const double one = 1, zero = 0;
  long wrong = 0;
  for (int i = 0; i < n * n; ++i) {
    a[i] = value;
  }
  for (int call = 0; call < calls; ++call) {
    dgemm_("T", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    for (int i = 0; i < n * n; ++i) {
      if (c[i] != n * value * value) {
        ++wrong;
        break;
      }
    }
  }
  return wrong;
}

static void* thread(void* value) { return (void*)wrong_products(*(double*)value); }

static pthread_barrier_t half_time;

/* Checks products in two rounds; the second starts when the other thread has finished its first. */
static void* interleaved(void* value) {
  const long before = wrong_products(*(double*)value);
  pthread_barrier_wait(&half_time);
  return (void*)(before + wrong_products(*(double*)value));
}

static long with_pthreads(void) {
  pthread_t threads[2];
  double values[2] = {1, 2};
  long wrong = 0;
  pthread_barrier_init(&half_time, 0, 2);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], 0, interleaved, &values[i]);
  }
  for (int i = 0; i < 2; ++i) {
    void* result = 0;
    pthread_join(threads[i], &result);
    wrong += (long)result;
  }
  return wrong;
}

static long with_openmp(void) {
  long wrong = 0;
#pragma omp parallel for num_threads(2) reduction(+ : wrong)
  for (int i = 0; i < 2; ++i) {
    wrong += wrong_products(1 + i);
  }
  return wrong;
}

/* Checks products in a grandchild whose ancestors had threads in BLAS when they forked. */
static long after_forks(void) {
  double value = 3;
  pthread_t busy;
  pthread_create(&busy, 0, thread, &value);
  int status = -1;
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      _exit((int)with_pthreads());
    }
    waitpid(grandchild, &status, 0);
    _exit(WEXITSTATUS(status) + (int)with_pthreads());
  }
  waitpid(child, &status, 0);
  pthread_join(busy, 0);
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  n = argc > 2 ? atoi(argv[2]) : 1;
  calls = argc > 3 ? atoi(argv[3]) : 20;
  const char* how = argc > 1 ? argv[1] : "pthreads";
  printf("%ld wrong products\n", strcmp(how, "openmp") == 0 ? with_openmp() : strcmp(how, "fork") == 0 ? after_forks() : with_pthreads());
  fflush(stdout); /* another namespace has a C library of its own, whose buffers nobody empties at the end */
  return 0;
}
