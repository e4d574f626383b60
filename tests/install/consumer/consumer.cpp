#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "flopcast/contract.hpp"
#include "flopcast/flopcast.hpp"
#include "flopcast/kernel.hpp"
#include "flopcast/regions.h"

int main() {
  const flopcast::Routine* dgemm = flopcast::kernel::find("dgemm");
  if (dgemm == nullptr) {
    std::puts("the catalogue has no dgemm");
    return 1;
  }
  bool executed = false;
  if (flopcast_kernel("consumer", {1, 2})) {  // without measurement, everything is executed
    executed = true;
    flopcast_end();
  }
  if (!executed) {
    std::puts("a region was skipped though nobody measures");
    return 1;
  }
  if (const std::string text = to_string(flopcast::contract::parse_notation("ai,ibc->abc")); text != "abc=ai,ibc") {
    std::printf("a contraction is read as %s\n", text.c_str());
    return 1;
  }
  flopcast::Workbench bench({.blas = "no such library"});
  try {
    flopcast::predict(bench, {.problems = {.routine = "dgemm"}});
    std::puts("a library that doesn't exist is opened");
    return 1;
  } catch (const flopcast::Error& error) {
    std::printf("%s: %s\n", dgemm->name.c_str(), error.what());
  }
  using Complex = std::complex<double>;
  flopcast::Workbench usual({.blas = "openblas-serial"});
  const std::vector<std::int64_t> shape_a = {3, 4, 5, 6}, shape_b = {4, 2, 6, 7};
  const auto plan = flopcast::plan(usual, "conj(acbd),cidj->abij", {shape_a, shape_b}, {.precision = flopcast::Precision::z});
  const std::vector<Complex> a(3 * 4 * 5 * 6, Complex(0, 1)), b(4 * 2 * 6 * 7, 1);
  std::vector<Complex> c(3 * 5 * 2 * 7);
  plan.execute(a.data(), b.data(), c.data());
  if (c != std::vector<Complex>(c.size(), Complex(0, -24))) {
    std::puts("a contraction with a conjugated operand is wrong");
    return 1;
  }
  return 0;
}
