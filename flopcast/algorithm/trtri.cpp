#include "flopcast/algorithm/variants.hpp"

#include <algorithm>

#include "flopcast/algorithm/view.hpp"

namespace flopcast::algorithm {
namespace {

/// Executes the updates before the inversion of A11 in one step of L := L^-1.
using Step = void (*)(const Script& script, const Blocks& a);

void step_1(const Script& script, const Blocks& a) {
  trmm(script, 'R', 1.0, a.diagonal(0), a(1, 0));
  trsm(script, 'L', -1.0, a.diagonal(1), a(1, 0));
}

void step_2(const Script& script, const Blocks& a) {
  trsm(script, 'L', 1.0, a.diagonal(2), a(2, 1));
  trsm(script, 'R', -1.0, a.diagonal(1), a(2, 1));
}

void step_3(const Script& script, const Blocks& a) {
  trsm(script, 'R', -1.0, a.diagonal(1), a(2, 1));
  gemm(script, 1.0, a(2, 1), a(1, 0), 1.0, a(2, 0));
  trsm(script, 'L', 1.0, a.diagonal(1), a(1, 0));
}

void step_4(const Script& script, const Blocks& a) {
  trsm(script, 'L', -1.0, a.diagonal(2), a(2, 1));
  gemm(script, -1.0, a(2, 1), a(1, 0), 1.0, a(2, 0));
  trmm(script, 'R', 1.0, a.diagonal(0), a(1, 0));
}

void step_5(const Script& script, const Blocks& a) {
  trmm(script, 'L', 1.0, a.diagonal(2), a(2, 1));
  trsm(script, 'R', -1.0, a.diagonal(1), a(2, 1));
}

void step_6(const Script& script, const Blocks& a) {
  trsm(script, 'R', 1.0, a.diagonal(0), a(1, 0));
  trsm(script, 'L', -1.0, a.diagonal(1), a(1, 0));
}

void step_7(const Script& script, const Blocks& a) {
  trsm(script, 'L', -1.0, a.diagonal(1), a(1, 0));
  gemm(script, 1.0, a(2, 1), a(1, 0), 1.0, a(2, 0));
  trsm(script, 'R', 1.0, a.diagonal(1), a(2, 1));
}

void step_8(const Script& script, const Blocks& a) {
  trsm(script, 'R', -1.0, a.diagonal(0), a(1, 0));
  gemm(script, -1.0, a(2, 1), a(1, 0), 1.0, a(2, 0));
  trmm(script, 'L', 1.0, a.diagonal(2), a(2, 1));
}

void invert(const Script& script, const Triangle& a) { script("trti2", {a.stored_uplo(), a.diag, a.order(), a.stored()}); }

/// The operand of a call of trtri, and the end from which it is a lower triangle.
struct TriangularProblem {
  Triangle a;
  SeenFrom seen;
};

TriangularProblem problem(const Call& call) {
  const std::int64_t n = value(call, "n");
  const char uplo = flag(call, "uplo");
  return {{{matrix(call, "A"), n, n}, uplo, flag(call, "diag")}, uplo == 'L' ? SeenFrom::begin : SeenFrom::end};
}

/// Returns the number of the first zero on the diagonal, counted from 1; 0 if there is none or no data.
std::int32_t first_zero(const Script& script, const Triangle& a) {
  for (std::int64_t i = 0; a.diag == 'N' && i < a.order(); ++i) {
    if (script.read(a.stored().at(i, i), 1.0) == 0.0) {
      return static_cast<std::int32_t>(i + 1);
    }
  }
  return 0;
}

std::int32_t blocked(Step step, Direction direction, const Call& call, const BlockParameters& blocks, const Script& script) {
  const auto [a, seen] = problem(call);
  if (const std::int32_t info = first_zero(script, a); info != 0 || a.order() == 0) {
    return info;
  }
  if (blocks.nb <= 1 || blocks.nb >= a.order()) {
    invert(script, a);
    return 0;
  }
  for (const Cut& cut : cuts(a.order(), blocks.nb, direction, seen)) {
    const Blocks partitioned{a, cut};
    step(script, partitioned);
    invert(script, partitioned.diagonal(1));
  }
  return 0;
}

void recurse(const Script& script, const Triangle& whole, SeenFrom seen, std::int64_t smallest) {
  if (whole.order() <= smallest) {
    invert(script, whole);
    return;
  }
  const auto [first, second] = divide({0, whole.order()}, first_half(whole.order()), seen);
  const Blocks a{whole, {first, second}};
  recurse(script, a.diagonal(0), seen, smallest);
  trmm(script, 'R', -1.0, a.diagonal(0), a(1, 0));
  trsm(script, 'L', 1.0, a.diagonal(1), a(1, 0));
  recurse(script, a.diagonal(1), seen, smallest);
}

std::int32_t recursive(const Call& call, const BlockParameters& blocks, const Script& script) {
  const auto [a, seen] = problem(call);
  if (const std::int32_t info = first_zero(script, a); info != 0 || a.order() == 0) {
    return info;
  }
  recurse(script, a, seen, std::max<std::int64_t>(1, blocks.nb));
  return 0;
}

Algorithm variant(const char* name, const char* description, Direction direction, Step step, bool is_default = false) {
  return {"trtri", name, description, std::bind_front(blocked, step, direction), is_default};
}

}  // namespace

std::vector<Algorithm> trtri_algorithms() {
  return {variant("1", "rows, by the inverse above: trmm, trsm", Direction::down, step_1),
          variant("2", "columns, by the triangle below: trsm, trsm", Direction::down, step_2),
          variant("3", "updates the rows below: trsm, gemm, trsm", Direction::down, step_3),
          variant("4", "updates the rows below, three times the operations: trsm, gemm, trmm", Direction::down, step_4),
          variant("5", "columns, by the inverse below: trmm, trsm", Direction::up, step_5, true),
          variant("6", "rows, by the triangle above: trsm, trsm", Direction::up, step_6),
          variant("7", "updates the columns before: trsm, gemm, trsm", Direction::up, step_7),
          variant("8", "updates the columns before, three times the operations: trsm, gemm, trmm", Direction::up, step_8),
          {"trtri", "recursive", "halves until nb, then trti2", recursive}};
}

}  // namespace flopcast::algorithm
