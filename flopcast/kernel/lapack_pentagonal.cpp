#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// QR of tiles and of tall matrices in pieces. The routines apply the compact Q of geqrt, factor a triangle on top of a pentagon and apply
// its Q, and convert an orthogonal matrix to reflectors by an LU factorisation. The last l rows of a pentagon B are upper trapezoidal.
// Working note 41 lacks these routines. The counts are those of the unblocked algorithm for the panel and of a product with T for the
// update, at leading order if nb doesn't divide the number of reflectors. Footprints of pentagons are rectangles; the part below the
// trapezoid isn't used.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

/// The factors T of blocks of nb reflectors; their lower halves aren't used, but belong to the footprint.
OperandLayout block_factors(const char* reflectors) { return full("nb", reflectors); }

/// C := op(Q) C or C op(Q). The count is that of the larfb of each block, with q the length of the reflectors and o the other side of C.
Entry multiply_by_compact_q(const char* precisions, const char* transpositions) {
  const std::string count = "(side=L ? n*k*(2*m - k + (nb-1)/2) : m*k*(2*n - k + (nb-1)/2))";
  return Entry{names(precisions, "gemqrt"), "gemqrt", "C := op(Q) C, or C op(Q), with Q from geqrt",
               {side(), flag("trans", transpositions), size("m"), size("n"), size("k"), size("nb"),
                in("V", reflectors("side=L ? m : n", "k")).with(Fill::reflectors), ld("ldv"), in("T", block_factors("k")).with(Fill::factors), ld("ldt"),
                update("C", full("m", "n")), ld("ldc"), work("work", vec("nb*(side=L ? n : m)")), info()},
               count, count}.requiring({"side=L ? m : n >= k", "nb >= 1", "max(1,k) >= nb"});
}

/// Returns the number of elements of the first `count` reflectors in B, which has `rows` rows: rows - l + min(l, j+1) in reflector j.
std::string pentagon(const std::string& rows, const std::string& count) {
  return fmt::format("(({0} - l)*{1} + l*(l+1)/2 + l*({1}-l))", rows, count);
}

/// Returns the number of elements of all reflectors, each multiplied by the number of columns to its right.
std::string pentagon_by_columns() {
  return "((m - l)*n*(n-1)/2 + n*l*(l+1)/2 - l*(l+1)*(2*l+1)/6 + l*(n-l)*(n-l-1)/2)";
}

/// Each reflector has one element in A and the elements of pentagon(...) in B. The T of each block is computed, and used in the updates to
/// the right of the block.
Entry triangle_on_pentagon() {
  const std::string products = fmt::format("2*{} + n*(n-1)", pentagon_by_columns());
  const std::string factors = fmt::format("(nb-1)/2*{} + n*(nb-1)*(nb-2)/6 + (n-nb)*n*(nb-1)/4", pentagon("m", "n"));
  return Entry{names("sdcz", "tpqrt"), "tpqrt", "[A; B] = QR with a triangle A and a pentagon B, blocked, with the T of each block",
               {size("m"), size("n"), size("l"), size("nb"), update("A", triangle("n", "U")), ld("lda"), update("B", full("m", "n")), ld("ldb"),
                out("T", block_factors("n")), ld("ldt"), work("work", vec("nb*n")), info()},
               fmt::format("{} + 2*{} + 6*n + {}", products, pentagon("m", "n"), factors), fmt::format("{} + {} + {}", products, pentagon("m", "n"), factors)}
      .requiring({"m >= l", "n >= l", "nb >= 1", "max(1,n) >= nb"});
}

/// [A; B] := op(Q) [A; B], or [A B] := [A B] op(Q). The count is that of two products with V and one with T; o is the other side of B.
Entry multiply_by_pentagonal_q(const char* precisions, const char* transpositions) {
  const std::string count = fmt::format("(side=L ? n*(2*{} + k*(nb+1)/2) : m*(2*{} + k*(nb+1)/2))", pentagon("m", "k"), pentagon("n", "k"));
  return Entry{names(precisions, "tpmqrt"), "tpmqrt", "[A; B] := op(Q) [A; B], or [A B] op(Q), with Q from tpqrt",
               {side(), flag("trans", transpositions), size("m"), size("n"), size("k"), size("l"), size("nb"),
                in("V", full("side=L ? m : n", "k")).with(Fill::reflectors), ld("ldv"), in("T", block_factors("k")).with(Fill::factors), ld("ldt"),
                update("A", full("side=L ? k : m", "side=L ? n : k")), ld("lda"), update("B", full("m", "n")), ld("ldb"),
                work("work", vec("nb*(side=L ? n : m)")), info()},
               count, count}.requiring({"side=L ? m : n >= l", "k >= l", "nb >= 1", "max(1,k) >= nb"});
}

}  // namespace

std::vector<Entry> lapack_pentagonal_entries() {
  return {
      multiply_by_compact_q("sd", "NT"),
      multiply_by_compact_q("cz", "NC"),
      triangle_on_pentagon(),
      multiply_by_pentagonal_q("sd", "NT"),
      multiply_by_pentagonal_q("cz", "NC"),
      // The counts are those of getf2, plus one operation for each sign.
      {names("sd", "laorhr_col_getrfnp"), "laorhr", "A - S = L U with signs S that make pivots unnecessary",
       {size("m"), size("n"), update("A", full("m", "n")).with(Fill::reflectors), ld("lda"), out("d", vec("min(m,n)")), info()},
       "min(m,n)*(m*n + (m-n)/2 + 2/3 - min(m,n)*((m+n)/2 - min(m,n)/3))",
       "min(m,n)*(m*n - (m+n)/2 + 7/6 - min(m,n)*((m+n)/2 - 1/2 - min(m,n)/3))"},
  };
}

}  // namespace flopcast::kernel
