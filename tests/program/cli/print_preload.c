/* Prints the libraries that the program was started with. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* libraries = getenv("LD_PRELOAD");
  printf("preloaded: %s\n", libraries != NULL ? libraries : "");
  return 0;
}
