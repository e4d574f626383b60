#include "flopcast/algorithm/variants.hpp"

#include <algorithm>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/algorithm/view.hpp"
#include "flopcast/kernel/entry.hpp"

namespace flopcast::algorithm {
namespace {

/// Runs LAPACK's algorithm for the routine `family`; `arguments` leave out info.
std::int32_t run(const Script& script, const BlockParameters& blocks, std::string_view family, std::initializer_list<Item> items) {
  const Call call = script.call(family, items);
  return require(*call.routine).run(call, blocks, script);
}

std::int32_t potrs(const Call& call, const BlockParameters& /*blocks*/, const Script& script) {
  const Triangle l = as_lower(call, "A");
  const View b{matrix(call, "B"), l.order(), value(call, "nrhs")};
  trsm(script, 'L', 1.0, l, b);
  trsm(script, 'L', 1.0, adjoint(l), b);
  return 0;
}

std::int32_t potri(const Call& call, const BlockParameters& blocks, const Script& script) {
  const char uplo = flag(call, "uplo");
  const std::int64_t n = value(call, "n");
  const Matrix a = matrix(call, "A");
  const std::int32_t info = run(script, blocks, "trtri", {uplo, 'N', n, a});
  return info != 0 ? info : run(script, blocks, "lauum", {uplo, n, a});
}

std::int32_t posv(const Call& call, const BlockParameters& blocks, const Script& script) {
  const char uplo = flag(call, "uplo");
  const std::int64_t n = value(call, "n");
  const Matrix a = matrix(call, "A");
  const std::int32_t info = run(script, blocks, "potrf", {uplo, n, a});
  return info != 0 ? info : run(script, blocks, "potrs", {uplo, n, value(call, "nrhs"), a, matrix(call, "B")});
}

std::int32_t getrs(const Call& call, const BlockParameters& /*blocks*/, const Script& script) {
  const char trans = flag(call, "trans");
  const std::int64_t n = value(call, "n");
  const std::int64_t nrhs = value(call, "nrhs");
  const Matrix a = matrix(call, "A");
  const Matrix b = matrix(call, "B");
  if (n == 0 || nrhs == 0) {
    return 0;
  }
  const auto swap_rows = [&](std::int64_t order) { script("laswp", {nrhs, b, std::int64_t{1}, n, matrix(call, "ipiv"), order}); };
  const auto solve = [&](char uplo, char diag) { script("trsm", {'L', uplo, trans, diag, n, nrhs, 1.0, a, b}); };
  if (trans == 'N') {
    swap_rows(1);
    solve('L', 'U');
    solve('U', 'N');
  } else {
    solve('U', 'N');
    solve('L', 'U');
    swap_rows(-1);
  }
  return 0;
}

std::int32_t gesv(const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t n = value(call, "n");
  const Matrix a = matrix(call, "A");
  const Matrix ipiv = matrix(call, "ipiv");
  const std::int32_t info = run(script, blocks, "getrf", {n, n, a, ipiv});
  return info != 0 ? info : run(script, blocks, "getrs", {'N', n, value(call, "nrhs"), a, ipiv, matrix(call, "B")});
}

/// Moves L's part of columns j ... j+jb into work, rows as in A, and leaves zeros.
void move_columns_of_l(const Script& script, const Matrix& a, const Matrix& work, std::int64_t n, std::int64_t j, std::int64_t jb) {
  script("lacpy", {'L', n - j, jb, a.at(j, j), work.at(j)});
  if (j + 1 < n) {
    script("laset", {'L', n - j - 1, jb, 0.0, 0.0, a.at(j + 1, j)});
  }
}

/// Solves X L = U^-1 block by block, last columns first.
void solve_for_inverse(const Script& script, const Matrix& a, const Matrix& work, std::int64_t n, std::int64_t nb) {
  for (const Cut& cut : cuts(n, nb, Direction::up)) {
    const auto [j, jb] = cut[1];
    const std::int64_t rest = cut[2].size;
    move_columns_of_l(script, a, work, n, j, jb);
    if (rest > 0) {
      script("gemm", {'N', 'N', n, jb, rest, -1.0, a.at(0, j + jb), work.at(j + jb), 1.0, a.at(0, j)});
    }
    script("trsm", {'R', 'L', 'N', 'U', n, jb, 1.0, work.at(j), a.at(0, j)});
  }
}

/// Solves X L = U^-1 column by column.
void solve_for_inverse_unblocked(const Script& script, const Matrix& a, const Matrix& work, std::int64_t n) {
  for (std::int64_t j = n - 2; j >= 0; --j) {
    const std::int64_t one = 1;
    const std::int64_t rest = n - j - 1;
    move_columns_of_l(script, a, work, n, j, 1);
    script("gemv", {'N', n, rest, -1.0, a.at(0, j + 1), work.at(j + 1), one, 1.0, a.at(0, j), one});
  }
}

std::int32_t getri(const Call& call, const BlockParameters& blocks, const Script& script) {
  const std::int64_t n = value(call, "n");
  const Matrix a = matrix(call, "A");
  const Matrix ipiv = matrix(call, "ipiv");
  if (n == 0) {
    return 0;
  }
  if (const std::int32_t info = run(script, blocks, "trtri", {'U', 'N', n, a}); info != 0) {
    return info;
  }
  Matrix work = matrix(call, "work");
  work.ld = n;
  const std::int64_t nb = std::min(blocks.nb, value(call, "lwork") / n);
  if (nb <= 1 || nb >= n) {
    solve_for_inverse_unblocked(script, a, work, n);
  } else {
    solve_for_inverse(script, a, work, n, nb);
  }
  for (std::int64_t j = n - 2; j >= 0; --j) {
    const std::int64_t one = 1;
    if (const std::int64_t pivot = script.read_pivot(ipiv.at(j), j + 1) - 1; pivot != j) {
      script("swap", {n, a.at(0, j), one, a.at(0, pivot), one});
    }
  }
  return 0;
}

std::int64_t getri_workspace(const Call& call, const BlockParameters& blocks) {
  return std::max<std::int64_t>(1, value(call, "n") * std::max<std::int64_t>(1, blocks.nb));
}

std::int32_t factor_and_reduce(const Call& call, const BlockParameters& blocks, const Script& script) {
  const char uplo = flag(call, "uplo");
  const std::int64_t n = value(call, "n");
  const Matrix b = matrix(call, "B");
  if (const std::int32_t info = run(script, blocks, "potrf", {uplo, n, b}); info != 0) {
    return info;
  }
  return run(script, blocks, script.complex() ? "hegst" : "sygst", {value(call, "itype"), uplo, n, matrix(call, "A"), b});
}

kernel::Entry potrf_sygst_entry() {
  using namespace kernel;
  return {names("sdcz", "potrf_sygst"),
          "potrf_sygst",
          "A x = lambda B x, A B x = lambda x or B A x = lambda x to standard form",
          {sign("itype", "123"), kernel::flag("uplo", "LU"), size("n"), update("A", triangle("n")), ld("lda"),
           update("B", triangle("n")).with(Fill::definite), ld("ldb"), info()},
          "2*n*n*n/3 + 2*n*n + 4*n/3",
          "2*n*n*n/3 + n*n/2 - 7*n/6"};
}

}  // namespace

std::vector<Algorithm> composed_algorithms() {
  return {{"potrs", "default", "two triangular solves", potrs, true},
          {"potri", "default", "trtri, lauum", potri, true},
          {"posv", "default", "potrf, potrs", posv, true},
          {"getrs", "default", "row swaps, two triangular solves", getrs, true},
          {"getri", "default", "trtri, then by columns", getri, true, getri_workspace},
          {"gesv", "default", "getrf, getrs", gesv, true},
          {"potrf_sygst", "default", "potrf, sygst", factor_and_reduce, true}};
}

const Routine& potrf_sygst(Precision precision) {
  static const std::vector<Routine> all = kernel::routines(potrf_sygst_entry());
  const auto found = std::find_if(all.begin(), all.end(), [precision](const Routine& routine) { return routine.precision == precision; });
  return *found;
}

}  // namespace flopcast::algorithm
