/* The side of the program: asks once whether flopcast is there. */
#define _GNU_SOURCE
#include "flopcast/interpose/user/regions.h"

#include <dlfcn.h>
#include <stddef.h>

static const struct flopcast_region_hooks* hooks(void) {
  static const struct flopcast_region_hooks* found;
  static int asked;
  if (!asked) {
    const struct flopcast_region_hooks* (*give)(void) = NULL;
    *(void**)&give = dlsym(RTLD_DEFAULT, FLOPCAST_REGION_HOOKS); /* as POSIX writes it: no conversion from data to function pointers */
    found = give != NULL ? give() : NULL;
    asked = 1;
  }
  return found;
}

void flopcast_begin(const char* name, int count, const int64_t* sizes) {
  if (hooks() != NULL) hooks()->enter(name, count, sizes, 0);
}

int flopcast_kernel(const char* name, int count, const int64_t* sizes) { return hooks() == NULL || hooks()->enter(name, count, sizes, 1); }

void flopcast_end(void) {
  if (hooks() != NULL) hooks()->leave();
}

void flopcast_stop(void) {
  if (hooks() != NULL) hooks()->measure(0);
}

void flopcast_start(void) {
  if (hooks() != NULL) hooks()->measure(1);
}

void flopcast_reset(void) {
  if (hooks() != NULL) hooks()->reset();
}
