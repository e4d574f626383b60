/* Usage: without_lengths FILL. Asks ilaenv for block sizes as programs in C do that know nothing of hidden lengths, after the stack was
   filled with bytes of this value. Prints the answers. */
#include <stdio.h>
#include <stdlib.h>

int ilaenv_(); /* without a prototype: the two lengths aren't passed */

static int fill;

static void __attribute__((noinline)) litter(void) {
  volatile unsigned char rubbish[8192];
  for (size_t i = 0; i < sizeof rubbish; ++i) {
    rubbish[i] = (unsigned char)fill;
  }
}

static void __attribute__((noinline)) ask(const char* name, const char* options, int order) {
  const int nb = 1, none = -1;
  litter();
  printf("%s %s %d\n", name, options, ilaenv_(&nb, name, options, &order, &order, &order, &none));
  fflush(stdout);
}

int main(int count, char** arguments) {
  fill = count > 1 ? (int)strtol(arguments[1], NULL, 0) : 0x7f;
  ask("DGEQRF", " ", 400);
  ask("dgeqrf", " ", 50);
  ask("DORMQR", "RN", 400);
  ask("DORMQR", "LT", 400);
  ask("DORMQR", "LN", 400);
  if (count > 2) {
    abort();
  }
  return 0;
}
