#include "flopcast/algorithm/view.hpp"

#include <cassert>
#include <string_view>

namespace flopcast::algorithm {
namespace {

char operation(const Script& script, const View& a) { return a.is_adjoint ? script.adjoint() : 'N'; }
char other_side(char side) { return side == 'L' ? 'R' : 'L'; }

bool changes_nothing(std::int64_t k, double beta, Idle idle) { return k == 0 && beta == 1 && idle == Idle::skip; }

/// trmm or trsm: the conjugate transpose of B := op(A) B is B' := B' op(A)'.
void triangular(const Script& script, std::string_view family, char side, double alpha, const Triangle& a, const View& b) {
  if (b.is_adjoint) {
    triangular(script, family, other_side(side), alpha, adjoint(a), adjoint(b));
  } else if (!b.empty()) {
    script(family, {side, a.stored_uplo(), operation(script, a.matrix), a.diag, b.rows, b.columns, alpha, a.stored(), b.stored});
  }
}

}  // namespace

Triangle as_lower(const Call& call, std::string_view name) {
  const std::int64_t n = value(call, "n");
  return {{matrix(call, name), n, n, flag(call, "uplo") == 'U'}};
}

void gemm(const Script& script, double alpha, const View& a, const View& b, double beta, const View& c, Idle idle) {
  assert(c.empty() || (a.rows == c.rows && a.columns == b.rows && b.columns == c.columns));
  if (c.is_adjoint) {
    gemm(script, alpha, adjoint(b), adjoint(a), beta, adjoint(c), idle);
  } else if (!c.empty() && !changes_nothing(a.columns, beta, idle)) {
    script("gemm", {operation(script, a), operation(script, b), c.rows, c.columns, a.columns, alpha, a.stored, b.stored, beta, c.stored});
  }
}

void herk(const Script& script, double alpha, const View& a, double beta, const Triangle& c, Idle idle) {
  assert(a.rows == c.order());
  if (c.order() > 0 && !changes_nothing(a.columns, beta, idle)) {
    script(script.complex() ? "herk" : "syrk",
           {c.stored_uplo(), operation(script, a), a.rows, a.columns, alpha, a.stored, beta, c.stored()});
  }
}

void her2k(const Script& script, double alpha, const View& a, const View& b, double beta, const Triangle& c) {
  assert(a.is_adjoint == b.is_adjoint && a.rows == c.order() && a.columns == b.columns);
  if (c.order() > 0 && !changes_nothing(a.columns, beta, Idle::skip)) {
    script(script.complex() ? "her2k" : "syr2k",
           {c.stored_uplo(), operation(script, a), a.rows, a.columns, alpha, a.stored, b.stored, beta, c.stored()});
  }
}

void hemm(const Script& script, char side, double alpha, const Triangle& a, const View& b, double beta, const View& c) {
  assert(b.is_adjoint == c.is_adjoint && b.rows == c.rows && b.columns == c.columns);
  if (c.is_adjoint) {
    hemm(script, other_side(side), alpha, a, adjoint(b), beta, adjoint(c));
  } else if (!c.empty()) {
    script(script.complex() ? "hemm" : "symm", {side, a.stored_uplo(), c.rows, c.columns, alpha, a.stored(), b.stored, beta, c.stored});
  }
}

void trmm(const Script& script, char side, double alpha, const Triangle& a, const View& b) {
  triangular(script, "trmm", side, alpha, a, b);
}

void trsm(const Script& script, char side, double alpha, const Triangle& a, const View& b) {
  triangular(script, "trsm", side, alpha, a, b);
}

void axpy(const Script& script, double alpha, const View& a, const View& b) {
  assert(a.is_adjoint == b.is_adjoint && a.rows == b.rows && a.columns == b.columns);
  const std::int64_t rows = b.is_adjoint ? b.columns : b.rows;
  const std::int64_t columns = b.is_adjoint ? b.rows : b.columns;
  if (b.empty()) {
    return;
  }
  for (std::int64_t j = 0; rows >= columns && j < columns; ++j) {
    script("axpy", {rows, alpha, a.stored.at(0, j), std::int64_t{1}, b.stored.at(0, j), std::int64_t{1}});
  }
  for (std::int64_t i = 0; rows < columns && i < rows; ++i) {
    script("axpy", {columns, alpha, a.stored.at(i), a.stored.ld, b.stored.at(i), b.stored.ld});
  }
}

}  // namespace flopcast::algorithm
