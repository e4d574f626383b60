/* Calls the BLAS of threaded_blas.c with small and large sizes, from one thread and then from two. */
#include <pthread.h>
#include <stdio.h>

void dgemm_(const char*, const char*, const int*, const int*, const int*);
void cblas_dgemm(int, int, int, int, int, int);
void dgemv_(void);
void dsyrk_(const char*, const char*, const int*, const int*);
void dgetrf_(const int*, const int*);
void openblas_set_num_threads(int count);

static const int small = 10, large = 2000;

static void* second_thread(void* unused) {
  dgemm_("N", "N", &small, &small, &small);
  return unused;
}

int main(void) {
  dgemm_("N", "N", &small, &small, &small);
  dgemv_();
  dgemm_("N", "N", &large, &large, &large);
  dgemm_("t", "N", &small, &small, &small);
  cblas_dgemm(102, 111, 111, small, small, large);
  cblas_dgemm(101, 111, 112, small, large, large);
  dsyrk_("L", "N", &small, &large);
  dgetrf_(&small, &small);
  openblas_set_num_threads(2);
  dgemm_("N", "N", &large, &large, &large);
  openblas_set_num_threads(4);
  pthread_t thread;
  fflush(stdout);
  if (pthread_create(&thread, NULL, second_thread, NULL) != 0 || pthread_join(thread, NULL) != 0) {
    return 1;
  }
  dgemm_("N", "N", &small, &small, &small);
  return 0;
}
