#include "flopcast/kernel/entry.hpp"

namespace flopcast::kernel {

std::vector<Entry> blas2_entries() {
  return {
      {names("sdcz", "gemv"), "gemv", "y := alpha op(A) x + beta y",
       {flag("trans", "NTC"), size("m"), size("n"), scalar("alpha"), in("A", full("m", "n")), ld("lda"),
        in("x", vec("trans=N ? n : m")), inc("incx"), scalar("beta"), update("y", vec("trans=N ? m : n")), inc("incy")},
       "m*n", "m*n"},
      {names("sd", "ger"), "ger", "A := alpha x y' + A",
       {size("m"), size("n"), scalar("alpha"), in("x", vec("m")), inc("incx"), in("y", vec("n")), inc("incy"),
        update("A", full("m", "n")), ld("lda")},
       "m*n", "m*n"},
  };
}

}  // namespace flopcast::kernel
