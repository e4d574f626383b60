/* A function with a routine's name that isn't the routine. */
double ddot(double a, double b) { return a * b; }
