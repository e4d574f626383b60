#pragma once

#include <string>

namespace flopcast::interpose::mpi {

/// What times of the program's BLAS depend on: `/usr/lib/libopenblas.so (35142912 bytes), Haswell kernels, 2 threads`, as far as it says so
/// itself; `no BLAS` if there is none. The file's size tells builds of a library apart.
std::string blas_in_use();

}  // namespace flopcast::interpose::mpi
