#include "flopcast/kernel/entry.hpp"

namespace flopcast::kernel {

std::vector<Entry> blas1_entries() {
  return {
      {names("sdcz", "axpy"), "axpy", "y := alpha x + y",
       {size("n"), scalar("alpha"), in("x", vec("n")), inc("incx"), update("y", vec("n")), inc("incy")},
       "n", "n"},
  };
}

}  // namespace flopcast::kernel
