#include "tests/kernel/reference/families.hpp"

namespace flopcast::kernel::reference {

void swap(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y");
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    const Number kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

void copy(Arguments& a) {
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    a.vector("y")[i] = a.vector("x")[i];
  }
}

void scal(Arguments& a) {
  const Vector x = a.vector("x");
  const std::int64_t n = a.size("n");
  const bool real = a.call().routine->arguments[1].kind == Kind::real_scalar;
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = real ? scaled(a.scalar("alpha"), x[i]) : a.scalar("alpha") * x[i];
  }
  count_real(real ? 2.0 * static_cast<double>(n) : 0, 0);
}

void axpy(Arguments& a) {
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    a.vector("y")[i] += a.scalar("alpha") * a.vector("x")[i];
  }
}

void dotu(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y");
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    const Number product = x[i] * y[i];
    a.result = i == 0 ? product : a.result + product;
  }
}

void dotc(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y");
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    const Number product = conj(x[i]) * y[i];
    a.result = i == 0 ? product : a.result + product;
  }
}

void sdsdot(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y");
  a.result = a.scalar("b");
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    a.result = a.result + x[i] * y[i];
  }
}

void nrm2(Arguments& a) {
  const Vector x = a.vector("x");
  const std::int64_t n = a.size("n");
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    sum += std::norm(static_cast<Number>(x[i]).value());
  }
  a.result = std::sqrt(sum);
  const auto count = static_cast<double>(n);
  if (a.complex()) {
    count_real(2 * count + 1, 2 * count - 1);
  } else {
    tally().multiplications += count + 1;
    tally().additions += count - 1;
  }
}

void asum(Arguments& a) {
  const Vector x = a.vector("x");
  const std::int64_t n = a.size("n");
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Number element = x[i];
    sum += std::abs(element.real()) + std::abs(element.imag());
  }
  a.result = sum;
  const auto count = static_cast<double>(n);
  if (a.complex()) {
    count_real(0, 2 * count - 1);
  } else {
    tally().additions += count - 1;
  }
}

void iamax(Arguments& a) {
  const Vector x = a.vector("x");
  const std::int64_t n = a.size("n");
  double largest = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    const Number element = x[i];
    const double magnitude = std::abs(element.real()) + std::abs(element.imag());
    if (magnitude > largest) {
      largest = magnitude;
      a.result = static_cast<double>(i + 1);
    }
  }
  count_real(0, a.complex() ? static_cast<double>(n) : 0);
}

void rot(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y");
  const Number c = a.scalar("c"), s = a.scalar("s");
  const Repetitions before = tally();
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    const Number kept = x[i], other = y[i];
    x[i] = c * kept + s * other;
    y[i] = c * other - s * kept;
  }
  if (a.complex()) {  // c and s are real: a product takes 2 operations instead of 6
    tally().multiplications -= (tally().multiplications - before.multiplications) * 2 / 3;
  }
}

/// The flag in param determines the elements of H that are stored; the others are 0, 1 or -1.
void rotm(Arguments& a) {
  const Vector x = a.vector("x"), y = a.vector("y"), param = a.vector("param");
  const double flag = static_cast<Number>(param[0]).real();
  const Number h11 = param[1], h21 = param[2], h12 = param[3], h22 = param[4];
  for (std::int64_t i = 0; i < a.size("n"); ++i) {
    const Number w = x[i], z = y[i];
    if (flag == -1) {
      x[i] = w * h11 + z * h12;
      y[i] = w * h21 + z * h22;
    } else if (flag == 0) {
      x[i] = w + z * h12;
      y[i] = w * h21 + z;
    } else if (flag == 1) {
      x[i] = w * h11 + z;
      y[i] = z * h22 - w;
    } else {
      x[i] = w;
      y[i] = z;
    }
  }
}

/// c a + s b = r and c b = conj(s) a with c^2 + |s|^2 = 1; libraries differ in the sign of r, so tests check these relations.
void rotg(Arguments& a) {
  const Number x = a.element("a"), y = a.element("b");
  const Number r = sqrt(Number(std::norm(x.value())) + std::norm(y.value()));
  a.element("c") = Number(std::abs(x.value())) / r;
  a.element("s") = y / r;
  a.element("a") = r;
  if (!a.complex()) {
    a.element("b") = a.element("s");
  }
}

/// Computes all of H. Libraries choose other scalings, so that tests check that H annihilates y1.
void rotmg(Arguments& a) {
  const Number d1 = a.element("d1"), d2 = a.element("d2"), x1 = a.element("x1"), y1 = a.scalar("y1");
  const Number p1 = d1 * x1, p2 = d2 * y1;
  const Number u = Number(1) + (p2 * y1) / (p1 * x1);
  const Vector param = a.vector("param");
  param[0] = -1.0;
  param[1] = 1.0;
  param[2] = -y1 / x1;
  param[3] = p2 / p1;
  param[4] = 1.0;
  a.element("d1") = d1 / u;
  a.element("d2") = d2 / u;
  a.element("x1") = x1 * u;
}

}  // namespace flopcast::kernel::reference
