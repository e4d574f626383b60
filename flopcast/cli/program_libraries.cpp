#include "flopcast/cli/program_libraries.hpp"

#include "flopcast/machine/installed.hpp"

namespace flopcast::cli {

interpose::LibraryFiles program_libraries(const std::string& blas, const std::string& lapack) {
  interpose::LibraryFiles files;
  if (!blas.empty()) {
    files.blas = machine::locate_usable(blas, machine::Role::blas);
  }
  const std::string chosen = lapack.empty() && !blas.empty() ? machine::default_lapack() : lapack;
  if (!chosen.empty()) {
    files.lapack = machine::locate_usable(chosen, machine::Role::lapack);
  }
  return files;
}

}  // namespace flopcast::cli
