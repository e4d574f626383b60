#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// The kernels of geqp3, QR with column pivoting: LAPACK working note 176. The first `offset` rows are already factored; columns are swapped
// in them, too. Counts are sums over the steps. Step s = 0, 1, ... has a reflector of length m - offset - s and n - 1 - s columns to its
// right, whose norms cost 7 multiplications and 2 additions each. The counts are of leading order: no norm is assumed to be recomputed.
// The norms are filled with the large numbers of a definite operand. The norms of the random columns are far smaller, so that no norm has
// to be recomputed, which would end a panel early.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

/// Formulae of sums over the steps s = 0 ... count-1. The terms are the lengths m - offset - s of the reflectors, the columns n - 1 - s to
/// their right, the squares of s, and the products of length and columns.
std::string lengths(const std::string& count) { return fmt::format("({0}*(m-offset) - {0}*({0}-1)/2)", count); }
std::string columns(const std::string& count) { return fmt::format("({0}*(n-1) - {0}*({0}-1)/2)", count); }
std::string squares(const std::string& count) { return fmt::format("{0}*({0}-1)*(2*{0}-1)/6", count); }
std::string products(const std::string& count) {
  return fmt::format("({0}*(m-offset)*(n-1) - (m-offset+n-1)*{0}*({0}-1)/2 + {1})", count, squares(count));
}

Item norms(const char* name) { return update(name, vec("n")).as_real().with(Fill::definite); }

/// A panel has nb columns, or fewer if a norm has to be recomputed. F is also written above its diagonal.
Entry pivoted_panel() {
  // Each step applies the earlier columns to its column and to their products with this column. Per earlier column these are two operations
  // per element of the reflector, and n for the elements of F.
  const std::string before = "(nb*(nb-1)/2*(2*(m-offset)+n) - 2*" + squares("nb") + ")";
  const std::string row = "(n*nb*(nb+1)/2 - nb*(nb+1)*(2*nb+1)/6)", rest = "nb*(m-offset-nb)*(n-nb)";
  return Entry{names("sdcz", "laqps"), "laqps", "nb columns of A P = Q R with column pivoting, with F to update the others",
               {size("m"), size("n"), size("offset").usually("0"), size("nb"), out("kb", one()).as_integer().skipped("nb"), update("A", full("m", "n")), ld("lda"),
                update("jpvt", vec("n")).as_integer(), out("tau", vec("nb")), norms("vn1"), norms("vn2"), work("auxv", vec("nb")),
                out("F", full("n", "nb")), ld("ldf")},
               "2*" + lengths("nb") + " + 7*" + columns("nb") + " + " + products("nb") + " + " + before + " + " + row + " + " + rest,
               lengths("nb") + " + 2*" + columns("nb") + " + " + products("nb") + " + " + before + " + " + row + " + " + rest}
      .requiring({"nb >= 1", "m-offset >= nb", "n >= nb"});
}

Entry pivoted_columns() {
  const std::string count = "min(m-offset,n)";
  return Entry{names("sdcz", "laqp2"), "laqp2", "A P = Q R with column pivoting, unblocked",
               {size("m"), size("n"), size("offset").usually("0"), update("A", full("m", "n")), ld("lda"), update("jpvt", vec("n")).as_integer(),
                out("tau", vec(count)), norms("vn1"), norms("vn2"), work("work", vec("n"))},
               "2*" + lengths(count) + " + 8*" + columns(count) + " + 2*" + products(count), lengths(count) + " + 2*" + columns(count) + " + 2*" + products(count)}
      .requiring({"m >= offset"});
}

}  // namespace

std::vector<Entry> lapack_pivoting_entries() { return {pivoted_panel(), pivoted_columns()}; }

}  // namespace flopcast::kernel
