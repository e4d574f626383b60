#include <stdio.h>

double ddot(double a, double b);

int main(void) {
  puts(ddot(2, 3) == 6 ? "right" : "wrong");
  return 0;
}
