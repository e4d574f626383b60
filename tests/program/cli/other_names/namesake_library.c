/* A function that has a routine's name, but isn't one. */
double ddot(double a, double b) { return a * b; }
