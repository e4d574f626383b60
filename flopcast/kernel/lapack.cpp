#include "flopcast/kernel/entry.hpp"

namespace flopcast::kernel {
namespace {

// LAPACK working note 41, table for GEQRF; m >= n and m < n.
constexpr const char* qr_multiplications = "m*n*min(m,n) - (m+n)*min(m,n)*min(m,n)/2 + min(m,n)*min(m,n)*min(m,n)/3 + m*min(m,n) + n*min(m,n)/2";
constexpr const char* qr_additions = "m*n*min(m,n) - (m+n)*min(m,n)*min(m,n)/2 + min(m,n)*min(m,n)*min(m,n)/3 + n*min(m,n)/2";

}  // namespace

std::vector<Entry> lapack_entries() {
  return {
      {names("sdcz", "geqr2"), "geqr2", "A = QR, unblocked",
       {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("tau", vec("min(m,n)")), work("work", vec("n")), info()},
       qr_multiplications, qr_additions},
      {names("sdcz", "geqrf"), "geqrf", "A = QR, blocked",
       {size("m"), size("n"), update("A", full("m", "n")), ld("lda"), out("tau", vec("min(m,n)")), work("work", vec("lwork")), work_size("lwork"), info()},
       qr_multiplications, qr_additions},
      {names("sdcz", "larft"), "larft", "triangular factor T of a block reflector",
       {flag("direct", "FB"), flag("storev", "CR"), size("n"), size("k"), in("V", reflectors("n", "k", "storev", "direct")).with(Fill::reflectors), ld("ldv"),
        in("tau", vec("k")), out("T", triangle("k", "U")), ld("ldt")},
       "n*k*(k-1)/2", "n*k*(k-1)/2"},
      {names("sdcz", "larfb"), "larfb", "C := H C, or C H, with a block reflector H",
       {flag("side", "LR"), flag("trans", "NTC"), flag("direct", "FB"), flag("storev", "CR"), size("m"), size("n"), size("k"),
        in("V", reflectors("side=L ? m : n", "k", "storev", "direct")).with(Fill::reflectors), ld("ldv"), in("T", triangle("k", "U")), ld("ldt"),
        update("C", full("m", "n")), ld("ldc"), work("work", full("side=L ? n : m", "k")), ld("ldwork")},
       "2*m*n*k", "2*m*n*k"},
      {names("sdcz", "potrf2"), "potrf2", "A = L L' or U' U, recursive",
       {flag("uplo", "LU"), size("n"), update("A", triangle("n")).with(Fill::definite), ld("lda"), info()},
       "n*n*n/6 + n*n/2 + n/3", "n*n*n/6 - n/6"},
      {names("sdcz", "potrf"), "potrf", "A = L L' or U' U, blocked",
       {flag("uplo", "LU"), size("n"), update("A", triangle("n")).with(Fill::definite), ld("lda"), info()},
       "n*n*n/6 + n*n/2 + n/3", "n*n*n/6 - n/6"},
  };
}

}  // namespace flopcast::kernel
