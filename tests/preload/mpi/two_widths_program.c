/* Usage: two_widths_program NARROW WIDE. Calls two plug-ins, each with a BLAS of its own, in turns. The integers of one BLAS have 32 bits,
   those of the other 64. Prints the number of wrong results. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { order = 3, turns = 6 };

typedef double (*Product)(int, const double*, const double*, double*);
typedef double (*Dot)(const void*, const double*);

static const double a[order * order] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, b[order * order] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

int main(int argc, char** argv) {
  Product product[2];
  Dot dot[2];
  const int32_t narrow[2] = {order, -1}; /* an integer of 64 bits would be negative */
  const int64_t wide = order;
  int wrong = 0;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2 && argc == 3; ++i) {
    void* plugin = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      puts(dlerror());
      return 1;
    }
    *(void**)&product[i] = dlsym(plugin, "product");
    *(void**)&dot[i] = dlsym(plugin, "dot_by_jump");
  }
  for (int turn = 0; turn < turns; ++turn) {
    const int i = turn % 2;
    double c[order * order] = {0};
    wrong += product[i](order, a, b, c) != 285;
    wrong += memcmp(a, c, sizeof c) != 0;
    wrong += dot[i](i == 0 ? (const void*)narrow : (const void*)&wide, a) != 14;
  }
  printf("%d wrong\n", wrong);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
