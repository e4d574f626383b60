#include "flopcast/kernel/entry.hpp"

// The tables keep their own layout: names, arguments, counts.
// clang-format off
namespace flopcast::kernel {
namespace {


Entry symmetric_multiply(const char* precisions, const char* family) {
  return {names(precisions, family), family, "C := alpha A B + beta C, or alpha B A + beta C, A = A'",
          {side(), uplo(), size("m"), size("n"), scalar("alpha"), in("A", triangle("side=L ? m : n")), ld("lda"), in("B", full("m", "n")),
           ld("ldb"), scalar("beta"), update("C", full("m", "n")), ld("ldc")},
          "side=L ? m*m*n : m*n*n", "side=L ? m*m*n : m*n*n"};
}

Entry rank_k(const char* precisions, const char* family, const char* transpositions, Item alpha, Item beta) {
  return {names(precisions, family), family, "C := alpha op(A) op(A)' + beta C, C = C'",
          {uplo(), flag("trans", transpositions), size("n"), size("k"), std::move(alpha),
           in("A", full("trans=N ? n : k", "trans=N ? k : n")), ld("lda"), std::move(beta), update("C", triangle("n")), ld("ldc")},
          "k*n*(n+1)/2", "k*n*(n+1)/2"};
}

/// The count is that of the operations on one triangle; LAPACK working note 41 gives k n^2 and k n^2 + n, which leaves out half of
/// the diagonal.
Entry rank_2k(const char* precisions, const char* family, const char* transpositions, Item beta) {
  return {names(precisions, family), family, "C := alpha op(A) op(B)' + alpha' op(B) op(A)' + beta C, C = C'",
          {uplo(), flag("trans", transpositions), size("n"), size("k"), scalar("alpha"),
           in("A", full("trans=N ? n : k", "trans=N ? k : n")), ld("lda"), in("B", full("trans=N ? n : k", "trans=N ? k : n")), ld("ldb"),
           std::move(beta), update("C", triangle("n")), ld("ldc")},
          "k*n*(n+1)", "k*n*(n+1)"};
}

/// A unit diagonal saves a multiplication or division per element of B.
Entry triangular_matrix(const char* family, const char* operation) {
  return {names("sdcz", family), family, operation,
          {side(), uplo(), flag("transa", "NTC"), diag(), size("m"), size("n"), scalar("alpha"),
           in("A", triangle("side=L ? m : n", "uplo", "diag")).with(Fill::triangular), ld("lda"), update("B", full("m", "n")), ld("ldb")},
          "(side=L ? m*n*(m-1)/2 : m*n*(n-1)/2) + (diag=U ? 0 : m*n)", "side=L ? m*n*(m-1)/2 : m*n*(n-1)/2"};
}

}  // namespace

// Counts are those of LAPACK working note 41: scaling by alpha and beta is not counted.
std::vector<Entry> blas3_entries() {
  return {
      {names("sdcz", "gemm"), "gemm", "C := alpha op(A) op(B) + beta C",
       {flag("transa", "NTC"), flag("transb", "NTC"), size("m"), size("n"), size("k"), scalar("alpha"),
        in("A", full("transa=N ? m : k", "transa=N ? k : m")), ld("lda"), in("B", full("transb=N ? k : n", "transb=N ? n : k")),
        ld("ldb"), scalar("beta"), update("C", full("m", "n")), ld("ldc")},
       "m*n*k", "m*n*k"},
      symmetric_multiply("sdcz", "symm"),
      symmetric_multiply("cz", "hemm"),
      rank_k("sd", "syrk", "NTC", scalar("alpha"), scalar("beta")),
      rank_k("cz", "syrk", "NT", scalar("alpha"), scalar("beta")),
      rank_k("cz", "herk", "NC", real_scalar("alpha"), real_scalar("beta")),
      rank_2k("sd", "syr2k", "NTC", scalar("beta")),
      rank_2k("cz", "syr2k", "NT", scalar("beta")),
      rank_2k("cz", "her2k", "NC", real_scalar("beta")),
      triangular_matrix("trmm", "B := alpha op(A) B, or alpha B op(A)"),
      triangular_matrix("trsm", "B := alpha op(A)^-1 B, or alpha B op(A)^-1"),
  };
}

}  // namespace flopcast::kernel
