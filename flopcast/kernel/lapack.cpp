#include "flopcast/kernel/entry.hpp"

// Counts are those of LAPACK working note 41 and of the unblocked algorithms, also for blocked and recursive routines. Divisions and square
// roots count as multiplications.
// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {


Entry cholesky(const char* family, const char* operation) {
  return {names("sdcz", family), family, operation,
          {uplo(), size("n"), update("A", triangle("n")).with(Fill::definite), ld("lda"), info()},
          "n*n*n/6 + n*n/2 + n/3", "n*n*n/6 - n/6"};
}

/// The count is also exact for m < n, where working note 41 counts divisions that partial pivoting doesn't make.
Entry lu(const char* family, const char* operation) {
  return {names("sdcz", family), family, operation,
          {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), pivots("ipiv", vec("min(m,n)")), info()},
          "min(m,n)*(m*n + (m-n)/2 + 2/3 - min(m,n)*((m+n)/2 - min(m,n)/3))",
          "min(m,n)*(m*n - (m+n)/2 + 1/6 - min(m,n)*((m+n)/2 - 1/2 - min(m,n)/3))"};
}

Entry triangular_inverse(const char* family, const char* operation) {
  return {names("sdcz", family), family, operation,
          {uplo(), diag(), size("n"), update("A", triangle("n", "uplo", "diag")).with(Fill::triangular), ld("lda"), info()},
          "n*n*n/6 - n*n/2 + n/3 + (diag=U ? 0 : n*n)", "n*n*n/6 - n*n/2 + n/3"};
}

Entry triangular_product(const char* family, const char* operation) {
  return {names("sdcz", family), family, operation,
          {uplo(), size("n"), update("A", triangle("n")).with(Fill::triangular), ld("lda"), info()},
          "n*n*n/6 + n*n/2 + n/3", "n*n*n/6 - n/6"};
}

/// The count is that of the unblocked algorithm for itype 1; itype 2 and 3 have the same.
Entry standard_form(const char* precisions, const char* family, const char* operation) {
  return {names(precisions, family), family, operation,
          {sign("itype", "123"), uplo(), size("n"), update("A", triangle("n")), ld("lda"), in("B", triangle("n")).with(Fill::triangular),
           ld("ldb"), info()},
          "n*n*n/2 + 3*n*n/2 + n", "n*n*n/2 + n*n/2 - n"};
}

/// The count is that of 1 x 1 diagonal blocks, with one division and one addition of two eigenvalues per equation. A and B are
/// (quasi-)triangular, but trsyl first takes the norm of all their elements.
Entry sylvester(const char* precisions, const char* transpositions) {
  return {names(precisions, "trsyl"), "trsyl", "X: op(A) X + isgn X op(B) = scale C",
          {flag("trana", transpositions), flag("tranb", transpositions), sign("isgn", "+-"), size("m"), size("n"),
           in("A", full("m", "m")).with(Fill::schur), ld("lda"), in("B", full("n", "n")).with(Fill::schur_apart), ld("ldb"),
           update("C", full("m", "n")), ld("ldc"), out("scale", one()).as_real().skipped(1), info()},
          "m*n*(m+n)/2", "m*n*(m+n)/2"};
}

}  // namespace

std::vector<Entry> lapack_entries() {
  return {
      cholesky("potf2", "A = L L' or U' U, unblocked"),
      cholesky("potrf2", "A = L L' or U' U, recursive"),
      cholesky("potrf", "A = L L' or U' U, blocked"),
      {names("sdcz", "potrs"), "potrs", "B := A^-1 B with A from potrf",
       {uplo(), size("n"), size("nrhs"), in("A", triangle("n")).with(Fill::triangular), ld("lda"), update("B", full("n", "nrhs")),
        ld("ldb"), info()},
       "nrhs*n*(n+1)", "nrhs*n*(n-1)"},
      {names("sdcz", "potri"), "potri", "A := A^-1 with A from potrf",
       {uplo(), size("n"), update("A", triangle("n")).with(Fill::triangular), ld("lda"), info()},
       "n*n*n/3 + n*n + 2*n/3", "n*n*n/3 - n*n/2 + n/6"},
      {names("sdcz", "posv"), "posv", "B := A^-1 B and A = L L' or U' U, by potrf and potrs",
       {uplo(), size("n"), size("nrhs"), update("A", triangle("n")).with(Fill::definite), ld("lda"), update("B", full("n", "nrhs")),
        ld("ldb"), info()},
       "n*n*n/6 + n*n/2 + n/3 + nrhs*n*(n+1)", "n*n*n/6 - n/6 + nrhs*n*(n-1)"},

      lu("getf2", "A = P L U, unblocked"),
      lu("getrf2", "A = P L U, recursive"),
      lu("getrf", "A = P L U, blocked"),
      {names("sdcz", "getrs"), "getrs", "B := op(A)^-1 B with A from getrf",
       {flag("trans", "NTC"), size("n"), size("nrhs"), in("A", full("n", "n")).with(Fill::triangular), ld("lda"),
        pivots("ipiv", vec("n"), Access::read), update("B", full("n", "nrhs")), ld("ldb"), info()},
       "nrhs*n*n", "nrhs*n*(n-1)"},
      // The filled matrix can be factored, with row swaps, and solved with in single precision at any order.
      {names("sdcz", "gesv"), "gesv", "B := A^-1 B and A = P L U, by getrf and getrs",
       {size("n"), size("nrhs"), update("A", full("n", "n")).with(Fill::permuted), ld("lda"), pivots("ipiv", vec("n")),
        update("B", full("n", "nrhs")), ld("ldb"), info()},
       "n*n*n/3 + 2*n/3 + nrhs*n*n", "n*n*n/3 - n*n/2 + n/6 + nrhs*n*(n-1)"},
      {names("sdcz", "trtrs"), "trtrs", "B := op(A)^-1 B, A triangular, if it isn't singular",
       {uplo(), flag("trans", "NTC"), diag(), size("n"), size("nrhs"), in("A", triangle("n", "uplo", "diag")).with(Fill::triangular),
        ld("lda"), update("B", full("n", "nrhs")), ld("ldb"), info()},
       "nrhs*n*(n-1)/2 + (diag=U ? 0 : nrhs*n)", "nrhs*n*(n-1)/2"},
      // The count is that of the inverse of U and a product per column. Working note 41 has the same total within O(n), but splits it
      // differently.
      {names("sdcz", "getri"), "getri", "A := A^-1 with A from getrf",
       {size("n"), update("A", full("n", "n")).with(Fill::triangular), ld("lda"), pivots("ipiv", vec("n"), Access::read),
        work("work", vec("max(1,lwork)")), work_size("lwork", "max(1,512*n)"), info()},
       "2*n*n*n/3 + n/3", "2*n*n*n/3 - n*n + n/3"},
      // Rows k1 to k2 are certainly touched. The rows that they are swapped with depend on the pivots and aren't counted.
      Entry{names("sdcz", "laswp"), "laswp", "swaps rows k1 to k2 with those that ipiv names",
            {size("n"), update("A", full("k2-k1+1", "n").from("k1-1")), ld("lda"), size("k1"), size("k2"),
             pivots("ipiv", vec("k2-k1+1").from("k1-1"), Access::read), sign("incx", "+-")},
            "", ""}.requiring({"k1 >= 1", "k2 >= k1"}),

      triangular_inverse("trti2", "A := A^-1, A triangular, unblocked"),
      triangular_inverse("trtri", "A := A^-1, A triangular, blocked"),
      triangular_product("lauu2", "A := L' L or U U', unblocked"),
      triangular_product("lauum", "A := L' L or U U', blocked"),
      standard_form("sd", "sygs2", "A := L^-1 A L^-T or L^T A L, unblocked"),
      standard_form("cz", "hegs2", "A := L^-1 A L^-H or L^H A L, unblocked"),
      standard_form("sd", "sygst", "A := L^-1 A L^-T or L^T A L, blocked"),
      standard_form("cz", "hegst", "A := L^-1 A L^-H or L^H A L, blocked"),
      sylvester("sd", "NTC"),
      sylvester("cz", "NC"),

      {names("sdcz", "lacpy"), "lacpy", "B := A, or one trapezoid of it",
       {flag("uplo", "ALU"), size("m"), size("n"), in("A", trapezoid("m", "n", "uplo")), ld("lda"), out("B", trapezoid("m", "n", "uplo")),
        ld("ldb")},
       "", ""},
      {names("sdcz", "laset"), "laset", "A := alpha off and beta on the diagonal, or one trapezoid of it",
       {flag("uplo", "ALU"), size("m"), size("n"), scalar("alpha"), scalar("beta"), out("A", trapezoid("m", "n", "uplo")), ld("lda")},
       "", ""},
  };
}

}  // namespace flopcast::kernel
