#include "flopcast/algorithm/variants.hpp"

#include <string>

#include "flopcast/algorithm/view.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

/// A, B and the intermediate matrix Y of one step, cut into blocks. A and B are seen as lower triangles.
struct SygstState {
  const Script& script;
  std::int64_t itype;
  Blocks a, b;
  View y;  ///< n x n, nb x n or n x nb, as the variant needs; empty if it needs none
};

using Step = void (*)(const SygstState& s);

void reduce(const Script& script, std::int64_t itype, const Triangle& a, const Triangle& b) {
  script(script.complex() ? "hegs2" : "sygs2", {itype, a.stored_uplo(), a.order(), a.stored(), b.stored()});
}
void reduce_diagonal(const SygstState& s) { reduce(s.script, s.itype, s.a.diagonal(1), s.b.diagonal(1)); }

/// Returns the part of Y for rows r and columns c of A; Y holds one block of rows (or columns) at a time.
View y_row(const SygstState& s) { return s.y({0, s.a.cut[1].size}, s.a.cut[0]); }
View y_column(const SygstState& s) { return s.y(s.a.cut[2], {0, s.a.cut[1].size}); }

void step_1(const SygstState& s) {
  const View y = y_row(s);
  const View a10 = s.a(1, 0);
  hemm(s.script, 'R', 1.0, s.a.diagonal(0), s.b(1, 0), 0.0, y);
  trsm(s.script, 'R', 1.0, adjoint(s.b.diagonal(0)), a10);
  axpy(s.script, -0.5, y, a10);
  her2k(s.script, -1.0, a10, s.b(1, 0), 1.0, s.a.diagonal(1));
  reduce_diagonal(s);
  axpy(s.script, -0.5, y, a10);
  trsm(s.script, 'L', 1.0, s.b.diagonal(1), a10);
}

/// Executes the part that variants 2 and 3 share: y is B10 A00 / 2 for `factor` 1, and B10 A00 for `factor` 1/2.
void finish_row_update_column(const SygstState& s, const View& y, double factor) {
  const View a10 = s.a(1, 0);
  const View a21 = s.a(2, 1);
  axpy(s.script, -factor, y, a10);
  her2k(s.script, -1.0, a10, s.b(1, 0), 1.0, s.a.diagonal(1));
  reduce_diagonal(s);
  gemm(s.script, -1.0, s.a(2, 0), adjoint(s.b(1, 0)), 1.0, a21);
  trsm(s.script, 'R', 1.0, adjoint(s.b.diagonal(1)), a21);
  axpy(s.script, -factor, y, a10);
  trsm(s.script, 'L', 1.0, s.b.diagonal(1), a10);
}

void step_2(const SygstState& s) {
  const View y = y_row(s);
  hemm(s.script, 'R', 0.5, s.a.diagonal(0), s.b(1, 0), 0.0, y);
  finish_row_update_column(s, y, 1.0);
}

/// Updates Y = B A with the finished blocks, for the rows that follow.
void step_3(const SygstState& s) {
  const Cut& cut = s.a.cut;
  finish_row_update_column(s, s.y(cut[1], cut[0]), 0.5);
  gemm(s.script, 1.0, s.b(2, 1), s.a(1, 0), 1.0, s.y(cut[2], cut[0]));
  hemm(s.script, 'R', 1.0, s.a.diagonal(1), s.b(2, 1), 0.0, s.y(cut[2], cut[1]));
  gemm(s.script, 1.0, s.b(2, 0), adjoint(s.a(1, 0)), 1.0, s.y(cut[2], cut[1]));
}

void step_4(const SygstState& s) {
  const View y = y_column(s);
  const View a21 = s.a(2, 1);
  trsm(s.script, 'L', 1.0, s.b.diagonal(1), s.a(1, 0));
  gemm(s.script, -1.0, s.b(2, 1), s.a(1, 0), 1.0, s.a(2, 0));
  reduce_diagonal(s);
  hemm(s.script, 'R', 1.0, s.a.diagonal(1), s.b(2, 1), 0.0, y);
  trsm(s.script, 'R', 1.0, adjoint(s.b.diagonal(1)), a21);
  axpy(s.script, -0.5, y, a21);
  her2k(s.script, -1.0, a21, s.b(2, 1), 1.0, s.a.diagonal(2));
  axpy(s.script, -0.5, y, a21);
}

void step_5(const SygstState& s) {
  const View a21 = s.a(2, 1);
  reduce_diagonal(s);
  trsm(s.script, 'R', 1.0, adjoint(s.b.diagonal(1)), a21);
  hemm(s.script, 'R', -0.5, s.a.diagonal(1), s.b(2, 1), 1.0, a21);
  her2k(s.script, -1.0, a21, s.b(2, 1), 1.0, s.a.diagonal(2));
  hemm(s.script, 'R', -0.5, s.a.diagonal(1), s.b(2, 1), 1.0, a21);
  trsm(s.script, 'L', 1.0, s.b.diagonal(2), a21);
}

/// Computes A := L' A L.
void step_product(const SygstState& s) {
  const View a10 = s.a(1, 0);
  trmm(s.script, 'R', 1.0, s.b.diagonal(0), a10);
  hemm(s.script, 'L', 0.5, s.a.diagonal(1), s.b(1, 0), 1.0, a10);
  her2k(s.script, 1.0, adjoint(a10), adjoint(s.b(1, 0)), 1.0, s.a.diagonal(0));
  hemm(s.script, 'L', 0.5, s.a.diagonal(1), s.b(1, 0), 1.0, a10);
  trmm(s.script, 'L', 1.0, adjoint(s.b.diagonal(1)), a10);
  reduce_diagonal(s);
}

/// The part of Y that a variant stores.
enum class Intermediate { none, rows, columns, all };

View local_y(const Script& script, Intermediate kept, const View& a, std::int64_t nb) {
  if (kept == Intermediate::none) {
    return {};
  }
  const std::int64_t rows = kept == Intermediate::rows ? nb : a.rows;
  const std::int64_t columns = kept == Intermediate::columns ? nb : a.rows;
  return {a.is_adjoint ? script.local(columns, rows) : script.local(rows, columns), rows, columns, a.is_adjoint};
}

std::int32_t blocked(Step step, Intermediate kept, const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t itype = value(call, "itype");
  const Triangle a = as_lower(call, "A");
  const Triangle b = as_lower(call, "B");
  if (a.order() == 0) {
    return 0;
  }
  if (blocks.nb <= 1 || blocks.nb >= a.order()) {
    reduce(script, itype, a, b);
    return 0;
  }
  const View y = local_y(script, kept, a.matrix, blocks.nb);
  for (const Cut& cut : cuts(a.order(), blocks.nb, Direction::down)) {
    step({script, itype, {a, cut}, {b, cut}, y});
  }
  return 0;
}

}  // namespace

std::vector<Algorithm> sygst_algorithms(std::string_view family) {
  const auto is_solved = [](const Call& call) { return value(call, "itype") == 1; };
  const auto solving = [=](const char* name, const char* description, Intermediate kept, Step step) {
    const std::string variant = name;
    const auto run = [=](const Call& call, const BlockParameters& blocks, const Script& script) {
      if (!is_solved(call)) {
        throw bad_input("variant {} of {} is of itype 1; itype {} has variant 5 only", variant, call.routine->name, value(call, "itype"));
      }
      return blocked(step, kept, call, blocks, script);
    };
    return Algorithm{.family = std::string(family), .variant = variant, .description = description, .run = run, .applies = is_solved};
  };
  const auto lapack = [](const Call& call, const BlockParameters& blocks, const Script& script) {
    return blocked(value(call, "itype") == 1 ? step_5 : step_product, Intermediate::none, call, blocks, script);
  };
  return {solving("1", "bordered: what is finished updates each block row (itype 1)", Intermediate::rows, step_1),
          solving("2", "block rows and columns through the middle (itype 1)", Intermediate::rows, step_2),
          solving("3", "as 2, with B A accumulated in a matrix of its own (itype 1)", Intermediate::all, step_3),
          solving("4", "updates all of what remains and what is finished (itype 1)", Intermediate::columns, step_4),
          {std::string(family), "5", "updates what remains: trsm, symm, syr2k, symm, trsm", lapack, true}};
}

}  // namespace flopcast::algorithm
