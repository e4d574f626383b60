#pragma once

#include <cmath>
#include <complex>

namespace flopcast::kernel::reference {

/// Numbers of operations since the last reset, counted as in LAPACK working note 41: a division or square root is a multiplication.
struct Repetitions {
  double multiplications = 0, additions = 0;
};

inline Repetitions& tally() {
  thread_local Repetitions counted;
  return counted;
}

/// A complex number whose operations are counted, always in double precision. Negation, conjugation, parts and absolute values of reals are
/// free.
class Number {
 public:
  Number() = default;
  Number(double value) : value_(value) {}                // NOLINT(google-explicit-constructor)
  Number(std::complex<double> value) : value_(value) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::complex<double> value() const { return value_; }
  [[nodiscard]] double real() const { return value_.real(); }
  [[nodiscard]] double imag() const { return value_.imag(); }

 private:
  std::complex<double> value_;
};

inline Number counted_addition(std::complex<double> value) {
  tally().additions += 1;
  return value;
}
inline Number counted_multiplication(std::complex<double> value) {
  tally().multiplications += 1;
  return value;
}

inline Number operator+(Number a, Number b) { return counted_addition(a.value() + b.value()); }
inline Number operator-(Number a, Number b) { return counted_addition(a.value() - b.value()); }
inline Number operator*(Number a, Number b) { return counted_multiplication(a.value() * b.value()); }
inline Number operator/(Number a, Number b) { return counted_multiplication(a.value() / b.value()); }
inline Number operator-(Number a) { return -a.value(); }
inline Number sqrt(Number a) { return counted_multiplication(std::sqrt(a.value())); }
inline Number conj(Number a) { return std::conj(a.value()); }

/// Returns a * b without counting: scaling by alpha and beta is free by convention.
inline Number scaled(Number a, Number b) { return a.value() * b.value(); }

/// Counts real operations inside a complex routine: a complex multiplication stands for 6 of them, an addition for 2.
inline void count_real(double multiplications, double additions) {
  tally().multiplications += multiplications / 6;
  tally().additions += additions / 2;
}

}  // namespace flopcast::kernel::reference
