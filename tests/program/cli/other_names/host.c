/* Usage: host deep|lazy|handle|global|unused FILE. Opens a plug-in that looks into its own libraries first (deep binds its calls at once,
   lazy at the first call), takes dgemm_ from one library (handle) or scipy_dgemm_ from the whole program (global), or makes no call
   (unused). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "products.h"

int main(int count, char** arguments) {
  const int handle = count == 3 && strcmp(arguments[1], "handle") == 0;
  const int lazy = count == 3 && strcmp(arguments[1], "lazy") == 0;
  void* library = dlopen(arguments[2], (lazy ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL | (handle ? 0 : RTLD_DEEPBIND));
  if (library == NULL) {
    puts(dlerror());
    return 1;
  }
  if (count == 3 && strcmp(arguments[1], "unused") == 0) {
    return 0;
  }
  if (count == 3 && strcmp(arguments[1], "global") == 0) {
    dlopen(arguments[2], RTLD_NOW | RTLD_GLOBAL);
    FORTRAN_DGEMM((*dgemm), int) = dlsym(RTLD_DEFAULT, "scipy_dgemm_");
    FORTRAN_PRODUCT(dgemm, int)
    return 0;
  }
  if (handle) {
    FORTRAN_DGEMM((*dgemm), int) = dlsym(library, "dgemm_");
    FORTRAN_PRODUCT(dgemm, int)
  } else {
    ((void (*)(void))dlsym(library, "work"))();
  }
  return dlerror() != NULL;
}
