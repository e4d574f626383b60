// Plans a tensor contraction and explains the plan, then executes it. Only the library of contractions is linked.
//   for      authors of C++ programs that need no other part of flopcast
//   build    cmake --build --preset check --target example_contract_tensors
//   run      build/check/bin/example_contract_tensors
//   read     docs/explanation/planner.md

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "flopcast/contract/network/plan.hpp"
#include "flopcast/support/error.hpp"

int main() {
  using namespace flopcast;
  try {
    const contract::Machine machine = contract::local_machine();
    // C_abc := A_ija B_jbic, row-major as in C and NumPy
    const std::vector<std::int64_t> shape_a = {8, 8, 50}, shape_b = {8, 50, 8, 50};
    const contract::Plan plan = contract::plan("ija,jbic->abc", std::array{shape_a, shape_b}, machine);
    fmt::print("{}", plan.explain());
    const std::vector<double> a(8 * 8 * 50, 0.5), b(8 * 50 * 8 * 50, 2.0);
    std::vector<double> c(50 * 50 * 50);
    plan.execute(a.data(), b.data(), c.data());
    fmt::print("C[0,0,0] = {}, a sum of 64 ones\n", c.front());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
