#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// Counts are those of LAPACK working note 41 and of the unblocked algorithms, also for blocked routines.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

// Counts of QR and QL (column_...), then of LQ and RQ (row_...).
constexpr const char* column_multiplications = "min(m,n)*(2*m*n + m + 2*n + 23/6 - min(m,n)*(m + n + 3/2 - 2*min(m,n)/3))";
constexpr const char* column_additions = "min(m,n)*(2*m*n + n + 5/6 - min(m,n)*(m + n + 1/2 - 2*min(m,n)/3))";
constexpr const char* row_multiplications = "min(m,n)*(2*m*n + m + 2*n + 29/6 - min(m,n)*(m + n + 3/2 - 2*min(m,n)/3))";
constexpr const char* row_additions = "min(m,n)*(2*m*n + m + 5/6 - min(m,n)*(m + n + 1/2 - 2*min(m,n)/3))";

Entry unblocked(const char* family, const char* operation, const char* lines, const char* multiplications, const char* additions) {
  return {names("sdcz", family), family, operation,
          {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("tau", vec("min(m,n)")), work("work", vec(lines)), info()},
          multiplications, additions};
}

Entry blocked(const char* family, const char* operation, const char* lines, const char* multiplications, const char* additions) {
  return {names("sdcz", family), family, operation,
          {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("tau", vec("min(m,n)")), work_of_size(), block_work(lines),
           info()},
          multiplications, additions};
}

Entry block_reflector(const char* precisions, const char* transpositions) {
  // l is the length of the reflectors and o the other side of C. Two gemm take 2 o k (l - k), two unit trmm o k (k-1), and T the rest.
  const std::string shared = "side=L ? n*k*(2*m - (k+1)/2) : m*k*(2*n - (k+1)/2)";
  return Entry{names(precisions, "larfb"), "larfb", "C := op(H) C, or C op(H), with a block reflector H",
               {side(), flag("trans", transpositions), flag("direct", "FB"), flag("storev", "CR"), size("m"), size("n"),
                size("k"), in("V", reflectors("side=L ? m : n", "k", "storev", "direct")).with(Fill::reflectors), ld("ldv"),
                in("T", triangle("k", "direct")).with(Fill::factors), ld("ldt"), update("C", full("m", "n")), ld("ldc"),
                work("work", full("side=L ? n : m", "k")), ld("ldwork")},
               shared, shared}.requiring({"side=L ? m : n >= k"});
}

/// QR that keeps the triangular factors T of its reflectors, at leading order: QR, the larft of each block, and its T in the updates.
Entry qr_with_factor(const char* family, const char* operation, std::vector<Item> sizes, Item factor, std::vector<Item> space,
                     const char* block, std::vector<std::string> constraints) {
  std::vector<Item> items = std::move(sizes);
  for (const Item& item : {update("A", full("m", "n")), ld("lda"), std::move(factor), ld("ldt")}) {
    items.push_back(item);
  }
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  const std::string factors = fmt::format(
      " + min(m,n)*({0}-1)/2*max(0, m - min(m,n)/2 + {0}/6) + min(m,n)*{0}/2*max(0, n - min(m,n)/2 - {0}/2)", block);
  return Entry{names("sdcz", family), family, operation, items, column_multiplications + factors, column_additions + factors}
      .requiring(std::move(constraints));
}

}  // namespace

std::vector<Entry> lapack_qr_entries() {
  return {
      Entry{names("sdcz", "larfg"), "larfg", "elementary reflector that annihilates x",
            {size("n"), update("alpha", one()), update("x", vec("n-1")), inc("incx"), out("tau", one()).skipped(0)},
            "2*n+4", "n+1"}.requiring({"incx >= 1"}),
      {names("sdcz", "larf"), "larf", "C := H C, or C H, with an elementary reflector H",
       {side(), size("m"), size("n"), in("v", vec("side=L ? m : n")).with(Fill::reflectors), inc("incv"), scalar("tau"),
        update("C", full("m", "n")), ld("ldc"), work("work", vec("side=L ? n : m"))},
       "2*m*n + n", "2*m*n"},
      Entry{names("sdcz", "larft"), "larft", "triangular factor T of a block reflector",
            {flag("direct", "FB"), flag("storev", "CR"), size("n"), size("k"),
             in("V", reflectors("n", "k", "storev", "direct")).with(Fill::reflectors), ld("ldv"), in("tau", vec("k")).with(Fill::factors),
             out("T", triangle("k", "direct")), ld("ldt")},
            "k*(k-1)/2*(n - k/3 + 2/3)", "k*(k-1)/2*(n - k/3 - 4/3)"}.requiring({"n >= k"}),
      block_reflector("sd", "NT"),
      block_reflector("cz", "NC"),

      unblocked("geqr2", "A = QR, unblocked", "n", column_multiplications, column_additions),
      unblocked("geqr2p", "A = QR with non-negative diagonal, unblocked", "n", column_multiplications, column_additions),
      unblocked("geql2", "A = QL, unblocked", "n", column_multiplications, column_additions),
      unblocked("gelq2", "A = LQ, unblocked", "m", row_multiplications, row_additions),
      unblocked("gerq2", "A = RQ, unblocked", "m", row_multiplications, row_additions),
      blocked("geqrf", "A = QR, blocked", "n", column_multiplications, column_additions),
      blocked("geqlf", "A = QL, blocked", "n", column_multiplications, column_additions),
      blocked("gelqf", "A = LQ, blocked", "m", row_multiplications, row_additions),
      blocked("gerqf", "A = RQ, blocked", "m", row_multiplications, row_additions),

      // T holds one triangle of order nb per block; its lower halves aren't used, but belong to the footprint.
      qr_with_factor("geqrt", "A = QR, blocked, with the T of each block", {size("m"), size("n"), size("nb")},
                     out("T", full("min(nb,min(m,n))", "min(m,n)")), {work("work", vec("nb*n"))}, "min(nb,min(m,n))",
                     {"nb >= 1", "max(1,min(m,n)) >= nb"}),
      // The first column of T is scratch space for tau, so that more than the upper triangle is touched.
      qr_with_factor("geqrt2", "A = QR, unblocked, with T", {size("m"), size("n")}, out("T", full("n", "n")), {}, "n", {"m >= n"}),
      // LAPACK 3.11 never returns from n = 0.
      qr_with_factor("geqrt3", "A = QR, recursive, with T", {size("m"), size("n")}, out("T", triangle("n", "U")), {}, "n",
                     {"m >= n", "n >= 1"}),
  };
}

}  // namespace flopcast::kernel
