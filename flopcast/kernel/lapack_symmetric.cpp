#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// Symmetric indefinite factorizations. Counts are those of LAPACK working note 41, which assumes 1 x 1 pivots; the same leading terms hold
// for 2 x 2 pivots. The rows that are swapped depend on the data, but all of them lie in the triangle.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

std::string multiplications(const std::string& n) { return fmt::format("({0})*({0})*({0})/6 + ({0})*({0})/2 + 10*({0})/3", n); }
std::string additions(const std::string& n) { return fmt::format("({0})*({0})*({0})/6 - ({0})/6", n); }

std::vector<Item> matrix_and_pivots() {
  return {uplo(), size("n"), update("A", triangle("n")), ld("lda"), pivots("ipiv", vec("n"))};
}

Entry unblocked(const char* precisions, const char* family, const char* operation) {
  std::vector<Item> items = matrix_and_pivots();
  items.push_back(info());
  return {names(precisions, family), family, operation, items, multiplications("n"), additions("n")};
}

/// 512 columns suffice for any reasonable block size.
std::vector<Item> block_space() { return {work("work", vec("max(1,lwork)")), work_size("lwork", "max(1,512*n)"), info()}; }

Entry solver(const char* precisions, const char* family, const char* operation) {
  std::vector<Item> items = matrix_and_pivots();
  items.insert(items.begin() + 2, size("nrhs"));
  items.insert(items.end(), {update("B", full("n", "nrhs")), ld("ldb")});
  const std::vector<Item> space = block_space();
  items.insert(items.end(), space.begin(), space.end());
  return {names(precisions, family), family, operation, items, multiplications("n") + " + nrhs*n*(n+1)", additions("n") + " + nrhs*n*(n-1)"};
}

Entry blocked(const char* precisions, const char* family, const char* operation) {
  std::vector<Item> items = matrix_and_pivots();
  const std::vector<Item> space = block_space();
  items.insert(items.end(), space.begin(), space.end());
  return {names(precisions, family), family, operation, items, multiplications("n"), additions("n")};
}

/// Factors kb columns: all columns if n <= nb, else nb-1, or nb if a 2 x 2 pivot ends there. Skipped calls return both values in the
/// proportion that random matrices have, so that sytrf makes as many calls as with data. `single` is the share of panels that end with a 1
/// x 1 pivot (matrices of orders 300 and 600: 0.69 and 0.67 for dsytrf, 0.80 and 0.78 for zsytrf, 0.58 for zhetrf). The whole triangle is
/// updated, and as many pivots as columns are written.
Entry panel(const char* precisions, const char* family, const char* operation, const char* single) {
  const std::string factored = "min(n,nb-min(1,max(0,n-nb)))";
  const std::string on_average = fmt::format("min(n,nb-{}*min(1,max(0,n-nb)))", single);
  const std::string rest = fmt::format("(n-{})", factored);
  return Entry{names(precisions, family), family, operation,
               {uplo(), size("n"), size("nb"), out("kb", one()).as_integer().skipped(on_average), update("A", triangle("n")), ld("lda"),
                pivots("ipiv", vec("min(n,nb)").from("uplo=U ? max(0,n-nb) : 0")), work("W", full("n", "nb")), ld("ldw"), info()},
               fmt::format("{} - ({})", multiplications("n"), multiplications(rest)), fmt::format("{} - ({})", additions("n"), additions(rest))}
      .requiring({"nb >= 2"});
}

}  // namespace

std::vector<Entry> lapack_symmetric_entries() {
  return {
      unblocked("sdcz", "sytf2", "A = L D L' or U D U', unblocked"),
      unblocked("cz", "hetf2", "A = L D L' or U D U', A Hermitian, unblocked"),
      panel("sd", "lasyf", "first or last columns of A = L D L' or U D U', and the update of the others", "2/3"),
      panel("cz", "lasyf", "first or last columns of A = L D L' or U D U', and the update of the others", "4/5"),
      panel("cz", "lahef", "first or last columns of A = L D L' or U D U', A Hermitian, and the update of the others", "3/5"),
      blocked("sdcz", "sytrf", "A = L D L' or U D U', blocked"),
      blocked("cz", "hetrf", "A = L D L' or U D U', A Hermitian, blocked"),
      solver("sdcz", "sysv", "B := A^-1 B and A = L D L' or U D U', by sytrf and sytrs"),
      solver("cz", "hesv", "B := A^-1 B and A = L D L' or U D U', A Hermitian, by hetrf and hetrs"),
  };
}

}  // namespace flopcast::kernel
