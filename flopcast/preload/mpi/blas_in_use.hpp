#pragma once

#include <string>

namespace flopcast::preload::mpi {

/// Returns the facts on which the times of the program's BLAS depend, as far as the library reports them, for example
/// `/usr/lib/libopenblas.so (35142912 bytes), Haswell kernels, 2 threads`; `no BLAS` if there is none. The file's size distinguishes builds
/// of a library.
std::string blas_in_use();

}  // namespace flopcast::preload::mpi
