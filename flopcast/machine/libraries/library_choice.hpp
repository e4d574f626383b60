#pragma once

#include <map>
#include <string>

namespace flopcast::machine {

/// Environment variables that make a BLAS use kernels for this CPU, e.g. {"OPENBLAS_CORETYPE", "SkylakeX"}; usually empty.
using KernelSettings = std::map<std::string, std::string>;

/// The libraries with which something is to be measured or predicted.
struct LibraryChoice {
  std::string blas;    ///< name or path; empty: default_blas()
  std::string lapack;  ///< name or path; empty: default_lapack()
  int threads = 1;
  std::string kernels = "auto";         ///< "auto": the kernels that suit the CPU best; "library": the library's own choice
  KernelSettings kernel_settings = {};  ///< variables that select kernels, whatever `kernels` says
};

}  // namespace flopcast::machine
