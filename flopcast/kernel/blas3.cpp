#include "flopcast/kernel/entry.hpp"

namespace flopcast::kernel {

std::vector<Entry> blas3_entries() {
  return {
      {names("sdcz", "gemm"), "gemm", "C := alpha op(A) op(B) + beta C",
       {flag("transa", "NTC"), flag("transb", "NTC"), size("m"), size("n"), size("k"), scalar("alpha"),
        in("A", full("transa=N ? m : k", "transa=N ? k : m")), ld("lda"),
        in("B", full("transb=N ? k : n", "transb=N ? n : k")), ld("ldb"), scalar("beta"), update("C", full("m", "n")), ld("ldc")},
       "m*n*k", "m*n*k"},
      {names("sdcz", "syrk"), "syrk", "C := alpha op(A) op(A)' + beta C",
       {flag("uplo", "LU"), flag("trans", "NTC"), size("n"), size("k"), scalar("alpha"),
        in("A", full("trans=N ? n : k", "trans=N ? k : n")), ld("lda"), scalar("beta"), update("C", triangle("n")), ld("ldc")},
       "k*n*(n+1)/2", "k*n*(n+1)/2"},
      {names("sdcz", "trsm"), "trsm", "B := alpha op(A)^-1 B, or alpha B op(A)^-1",
       {flag("side", "LR"), flag("uplo", "LU"), flag("transa", "NTC"), flag("diag", "NU"), size("m"), size("n"), scalar("alpha"),
        in("A", triangle("side=L ? m : n", "uplo", "diag")).with(Fill::triangular), ld("lda"), update("B", full("m", "n")), ld("ldb")},
       "side=L ? n*m*(m+1)/2 : m*n*(n+1)/2", "side=L ? n*m*(m-1)/2 : m*n*(n-1)/2"},
      {names("sdcz", "trmm"), "trmm", "B := alpha op(A) B, or alpha B op(A)",
       {flag("side", "LR"), flag("uplo", "LU"), flag("transa", "NTC"), flag("diag", "NU"), size("m"), size("n"), scalar("alpha"),
        in("A", triangle("side=L ? m : n", "uplo", "diag")).with(Fill::triangular), ld("lda"), update("B", full("m", "n")), ld("ldb")},
       "side=L ? n*m*(m+1)/2 : m*n*(n+1)/2", "side=L ? n*m*(m-1)/2 : m*n*(n-1)/2"},
  };
}

}  // namespace flopcast::kernel
