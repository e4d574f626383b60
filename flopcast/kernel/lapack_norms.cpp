#include <fmt/format.h>

#include "flopcast/kernel/entry.hpp"

// Norms, estimates of condition numbers, and balancing, which drivers and programs call before they decide on a method. The absolute value
// of a complex number counts as two multiplications, a square root and an addition, all real. Estimates usually take four solutions
// (Higham, Accuracy and Stability of Numerical Algorithms, 15.3), balancing takes two sweeps of norms of rows and columns; both depend on
// the data.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {

/// Counts sums of columns (1, O) or rows (I); the scaling of the Frobenius norm (F, E) against overflow isn't counted.
Entry general_norm(const char* precisions, const std::string& absolute_multiplications, const std::string& absolute_additions,
                   const std::string& square_multiplications, const std::string& square_additions, const std::string& sum) {
  const std::string sums = fmt::format("(norm=M ? 0 : (norm=I ? m*(n-1){0} : (m-1)*n{0}))", sum);
  return Entry{names(precisions, "lange"), "lange", "largest absolute value (M), norm 1 (1, O), infinity (I) or Frobenius norm (F, E) of A",
               {flag("norm", "M1OIFE"), size("m"), size("n"), in("A", full("m", "n")), ld("lda"), work("work", vec("norm=I ? m : 0")).as_real()},
               fmt::format("norm=FE ? {} : {}", square_multiplications, absolute_multiplications),
               fmt::format("norm=FE ? {} : {} + {}", square_additions, absolute_additions, sums), Returns::real};
}

Item condition() { return out("rcond", one()).as_real().skipped(1); }

Entry estimate(const char* precisions, const char* family, const char* of, std::vector<Item> items, const std::vector<Item>& space, const char* operations) {
  items.insert(items.end(), space.begin(), space.end());
  items.push_back(info());
  const std::string half = fmt::format("{}/2", operations);
  return {names(precisions, family), family, fmt::format("estimate of the reciprocal condition number of A, {}", of), items, half, half};
}

std::vector<Entry> estimates(const char* precisions, const std::vector<Item>& general, const std::vector<Item>& others) {
  return {estimate(precisions, "gecon", "from getrf",
                   {flag("norm", "1OI"), size("n"), in("A", full("n", "n")).with(Fill::triangular), ld("lda"), real_scalar("anorm"), condition()}, general, "8*n*n"),
          estimate(precisions, "pocon", "from potrf",
                   {uplo(), size("n"), in("A", triangle("n")).with(Fill::triangular), ld("lda"), real_scalar("anorm"), condition()}, others, "8*n*n"),
          estimate(precisions, "trcon", "triangular",
                   {flag("norm", "1OI"), uplo(), diag(), size("n"), in("A", triangle("n", "uplo", "diag")).with(Fill::triangular), ld("lda"),
                    condition()}, others, "4*n*n")};
}

Entry balancing() {
  const std::string half = "(job=N ? 0 : 8*n*n)/2";
  return {names("sdcz", "gebal"), "gebal", "permutes (P), scales (S) or both (B) a matrix whose eigenvalues are wanted",
          {flag("job", "NPSB"), size("n"), update("A", full("n", "n")), ld("lda"), out("ilo", one()).as_integer().skipped(1),
           out("ihi", one()).as_integer().skipped("n"), out("scale", vec("n")).as_real().skipped(1), info()},
          half, half};
}

}  // namespace

std::vector<Entry> lapack_norm_entries() {
  std::vector<Entry> all = {
      general_norm("sd", "0", "0", "m*n+1", "m*n-1", ""),
      general_norm("cz", "m*n/2", "m*n/2", "(2*m*n+1)/6", "m*n-1/2", "/2"),
      balancing(),
  };
  for (const auto& some : {estimates("sd", {work("work", vec("4*n")), work("iwork", vec("n")).as_integer()},
                                     {work("work", vec("3*n")), work("iwork", vec("n")).as_integer()}),
                           estimates("cz", {work("work", vec("2*n")), work("rwork", vec("2*n")).as_real()},
                                     {work("work", vec("2*n")), work("rwork", vec("n")).as_real()})}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace flopcast::kernel
