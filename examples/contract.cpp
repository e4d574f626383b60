// Plans a contraction of two tensors once and executes it on their elements.
//   for      authors of C++ programs that contract tensors
//   build    cmake --build --preset check --target example_contract
//   run      build/check/bin/example_contract
//   read     docs/howto/contract_from_cpp.md
#include <cstdio>
#include <vector>

#include "flopcast/flopcast.hpp"

int main() {
  flopcast::Workbench bench({.blas = "openblas-serial"});
  const std::vector<std::int64_t> shape_a = {8, 8, 100}, shape_b = {8, 100, 8, 100};
  const flopcast::contract::Plan plan = flopcast::plan(bench, "ija,jbic->abc", {shape_a, shape_b});
  const std::vector<double> a(8 * 8 * 100, 1.0), b(8 * 100 * 8 * 100, 1.0);
  std::vector<double> c(100 * 100 * 100);
  plan.execute(a.data(), b.data(), c.data());
  std::printf("%s\nC(0,0,0) = %g, a sum of 64 ones\n", plan.explain().c_str(), c[0]);
}
