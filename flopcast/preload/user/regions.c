/* The program's side of regions: looks up once whether flopcast is loaded. */
#define _GNU_SOURCE
#include "flopcast/regions.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct flopcast_region_hooks* hooks(void) {
  static const struct flopcast_region_hooks* found;
  static int asked;
  if (!asked) {
    const struct flopcast_region_hooks* (*give)(void) = NULL;
    *(void**)&give = dlsym(RTLD_DEFAULT, FLOPCAST_REGION_HOOKS); /* POSIX's form, as C converts no data pointers to function pointers */
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

int flopcast_next_configuration(void) {
  static int running;
  int next = hooks() != NULL ? hooks()->next_configuration() : -1;
  if (next < 0) next = running = !running; /* true once in each loop */
  return next;
}

const char* flopcast_parameter(const char* name, const char* otherwise) {
  const char* value = hooks() != NULL ? hooks()->parameter(name) : NULL;
  return value != NULL ? value : otherwise;
}

int64_t flopcast_integer_parameter(const char* name, int64_t otherwise) {
  const char* value = flopcast_parameter(name, NULL);
  if (value == NULL) return otherwise;
  char* end = NULL;
  errno = 0;
  const long long number = strtoll(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0') {
    fprintf(stderr, "flopcast: parameter '%s' is '%s'; the program expects an integer\n", name, value);
    exit(3);
  }
  return number;
}
