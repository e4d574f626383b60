/* Calls each routine of small_stack_blas.c, by its name or by an address from dlsym, on a stack of its own that is filled with a pattern and
   lies between inaccessible pages. Prints the bytes of the stack that the first and the second call used. With WITH_MPI it is a program of
   one MPI process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

double ddot_(const int*, const double*, const int*, const double*, const int*);
double cblas_ddot(int, const double*, int, const double*, int);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
            const int*, const double*, double*, const int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgttrf_(const int*, double*, double*, double*, double*, int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void* blas_memory_alloc(int);

enum { stack_bytes = 65536, page = 4096, pattern = 0xa5 };
static const int n = 2, one = 1, size = 64, large = 200;
static double a[40000], x[200], work[64], result;
static const double unit = 1;
static int pivots[2], info;

static void dot(void) { result = ddot_(&n, x, &one, x, &one); }
static void c_dot(void) { result = cblas_ddot(2, x, 1, x, 1); }
static void product(void) { dgemm_("N", "N", &n, &n, &n, &unit, a, &n, a, &n, &unit, a, &n); }
static void factors(void) { dgetrf_(&n, &n, a, &n, pivots, &info); }
static void known_by_name(void) { dgttrf_(&n, x, x, x, x, pivots, &info); }
static void blocked(void) { dgeqrf_(&large, &large, a, &large, x, work, &size, &info); }
static void buffers(void) { result += blas_memory_alloc(0) != NULL; }
static void address(void) {
  void (*taken)(const int*, const int*, double*, const int*, int*, int*) = NULL;
  *(void**)&taken = dlsym(RTLD_DEFAULT, "dgetrf_");
  taken(&n, &n, a, &n, pivots, &info);
}

static ucontext_t outside, inside;
static void (*called)(void);
static void body(void) { called(); }

static size_t used_by(void (*call)(void)) {
  unsigned char* whole = mmap(NULL, stack_bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned char* stack = whole + page;
  mprotect(stack, stack_bytes, PROT_READ | PROT_WRITE);
  memset(stack, pattern, stack_bytes);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = stack_bytes;
  inside.uc_link = &outside;
  called = call;
  makecontext(&inside, body, 0);
  swapcontext(&outside, &inside);
  size_t unused = 0;
  while (unused < stack_bytes && stack[unused] == pattern) {
    ++unused;
  }
  munmap(whole, stack_bytes + 2 * page);
  return stack_bytes - unused;
}

int main(void) {
#ifdef WITH_MPI
  MPI_Init(NULL, NULL);
#endif
  const struct {
    const char* name;
    void (*call)(void);
  } calls[] = {{"dot", dot},         {"c_dot", c_dot},     {"product", product}, {"factors", factors}, {"known_by_name", known_by_name},
               {"blocked", blocked}, {"buffers", buffers}, {"address", address}};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    const size_t first = used_by(calls[i].call);
    printf("%s %zu %zu\n", calls[i].name, first, used_by(calls[i].call));
    fflush(stdout);
  }
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
