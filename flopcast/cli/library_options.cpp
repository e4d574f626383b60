#include "flopcast/cli/library_options.hpp"

#include <CLI/CLI.hpp>

namespace flopcast::cli {
namespace {

constexpr const char* lapack_help = "LAPACK: reference, openblas or a path";

void add_kernels_option(CLI::App& command, machine::LibraryChoice& choice) {
  command
      .add_option("--kernels", choice.kernels,
                  "auto: where the BLAS misreads the CPU, the kernels found best by trying; library: as it comes")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "library"}));
}

}  // namespace

void add_library_options(CLI::App& command, machine::LibraryChoice& choice) {
  command.add_option("--blas", choice.blas, "BLAS: openblas-serial, openblas-pthread, blis, reference, ... or a path");
  command.add_option("--lapack", choice.lapack, lapack_help);
  command.add_option("--threads", choice.threads, "threads of the BLAS")->capture_default_str()->check(CLI::Range(1, 1024));
  add_kernels_option(command, choice);
}

void add_library_lists(CLI::App& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads) {
  command.add_option("--blas", blas, "BLAS, one or several: openblas-serial,blis-serial; names or paths");
  command.add_option("--lapack", choice.lapack, lapack_help);
  command.add_option("--threads", threads, "threads of the BLAS, one number or several: 1,2")->capture_default_str();
  add_kernels_option(command, choice);
}

}  // namespace flopcast::cli
