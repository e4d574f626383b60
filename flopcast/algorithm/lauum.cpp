#include "flopcast/algorithm/variants.hpp"

#include "flopcast/algorithm/view.hpp"

namespace flopcast::algorithm {
namespace {

/// Executes one step of A := L' L, from the top left to the bottom right.
using Step = void (*)(const Script& script, const Blocks& a);

void multiply(const Script& script, const Triangle& a) { script("lauu2", {a.stored_uplo(), a.order(), a.stored()}); }

void step_1(const Script& script, const Blocks& a) {
  herk(script, 1.0, adjoint(a(1, 0)), 1.0, a.diagonal(0));
  trmm(script, 'L', 1.0, adjoint(a.diagonal(1)), a(1, 0));
  multiply(script, a.diagonal(1));
}

void step_2(const Script& script, const Blocks& a) {
  trmm(script, 'L', 1.0, adjoint(a.diagonal(1)), a(1, 0));
  multiply(script, a.diagonal(1));
  gemm(script, 1.0, adjoint(a(2, 1)), a(2, 0), 1.0, a(1, 0));
  herk(script, 1.0, adjoint(a(2, 1)), 1.0, a.diagonal(1));
}

void step_3(const Script& script, const Blocks& a) {
  multiply(script, a.diagonal(1));
  herk(script, 1.0, adjoint(a(2, 1)), 1.0, a.diagonal(1));
  trmm(script, 'L', 1.0, adjoint(a.diagonal(2)), a(2, 1));
}

std::int32_t blocked(Step step, const Call& call, const BlockParameters& blocks, const Script& script) {
  const Triangle a = as_lower(call, "A");
  if (a.order() == 0) {
    return 0;
  }
  if (blocks.nb <= 1 || blocks.nb >= a.order()) {
    multiply(script, a);
    return 0;
  }
  for (const Cut& cut : cuts(a.order(), blocks.nb, Direction::down)) {
    step(script, {a, cut});
  }
  return 0;
}

Algorithm variant(const char* name, const char* description, Step step, bool is_default = false) {
  return {"lauum", name, description, std::bind_front(blocked, step), is_default};
}

}  // namespace

std::vector<Algorithm> lauum_algorithms() {
  return {variant("1", "adds each block row to what is above: syrk, trmm", step_1),
          variant("2", "finishes block rows: trmm, gemm, syrk", step_2, true), variant("3", "finishes block columns: syrk, trmm", step_3)};
}

}  // namespace flopcast::algorithm
