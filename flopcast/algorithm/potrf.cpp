#include "flopcast/algorithm/variants.hpp"

#include <algorithm>

#include "flopcast/algorithm/view.hpp"

namespace flopcast::algorithm {
namespace {

/// Executes one step of A = L L', from the top left to the bottom right; returns the info of the diagonal block.
using Step = std::int32_t (*)(const Script& script, const Blocks& a);

std::int32_t factor(const Script& script, const Triangle& a, std::string_view kernel = "potrf2") {
  return script(kernel, {a.stored_uplo(), a.order(), a.stored()});
}

std::int32_t bordered(const Script& script, const Blocks& a) {
  trsm(script, 'R', 1.0, adjoint(a.diagonal(0)), a(1, 0));
  herk(script, -1.0, a(1, 0), 1.0, a.diagonal(1));
  return factor(script, a.diagonal(1));
}

/// Executes one step with the calls that LAPACK makes in the first step too, where no columns lie on the left.
std::int32_t left_looking(const Script& script, const Blocks& a) {
  herk(script, -1.0, a(1, 0), 1.0, a.diagonal(1), Idle::call);
  if (const std::int32_t info = factor(script, a.diagonal(1)); info != 0) {
    return info;
  }
  gemm(script, -1.0, a(2, 0), adjoint(a(1, 0)), 1.0, a(2, 1), Idle::call);
  trsm(script, 'R', 1.0, adjoint(a.diagonal(1)), a(2, 1));
  return 0;
}

std::int32_t right_looking(const Script& script, const Blocks& a) {
  if (const std::int32_t info = factor(script, a.diagonal(1)); info != 0) {
    return info;
  }
  trsm(script, 'R', 1.0, adjoint(a.diagonal(1)), a(2, 1));
  herk(script, -1.0, a(2, 1), 1.0, a.diagonal(2));
  return 0;
}

std::int32_t blocked(Step step, const Call& call, const BlockParameters& blocks, const Script& script) {
  const Triangle a = as_lower(call, "A");
  if (a.order() == 0) {
    return 0;
  }
  if (blocks.nb <= 1 || blocks.nb >= a.order()) {
    return factor(script, a);
  }
  for (const Cut& cut : cuts(a.order(), blocks.nb, Direction::down)) {
    if (const std::int32_t info = step(script, {a, cut}); info != 0) {
      return info + static_cast<std::int32_t>(cut[1].begin);
    }
  }
  return 0;
}

std::int32_t recurse(const Script& script, const View& a, std::int64_t smallest) {
  if (a.rows <= smallest) {
    return factor(script, {a}, "potf2");
  }
  const auto [top, bottom] = divide({0, a.rows}, first_half(a.rows));
  if (const std::int32_t info = recurse(script, a(top, top), smallest); info != 0) {
    return info;
  }
  trsm(script, 'R', 1.0, adjoint(Triangle{a(top, top)}), a(bottom, top));
  herk(script, -1.0, a(bottom, top), 1.0, {a(bottom, bottom)});
  const std::int32_t info = recurse(script, a(bottom, bottom), smallest);
  return info == 0 ? 0 : info + static_cast<std::int32_t>(top.size);
}

std::int32_t recursive(const Call& call, const BlockParameters& blocks, const Script& script) {
  const Triangle a = as_lower(call, "A");
  return a.order() == 0 ? 0 : recurse(script, a.matrix, std::max<std::int64_t>(1, blocks.nb));
}

Algorithm variant(const char* name, const char* description, Step step, bool is_default = false) {
  return {"potrf", name, description, std::bind_front(blocked, step), is_default};
}

}  // namespace

std::vector<Algorithm> potrf_algorithms() {
  return {variant("1", "bordered: trsm and syrk with what is finished", bordered),
          variant("2", "left-looking: syrk, gemm, trsm", left_looking, true),
          variant("3", "right-looking: trsm, syrk of what remains", right_looking),
          {"potrf", "recursive", "halves until nb, then potf2", recursive}};
}

}  // namespace flopcast::algorithm
