#include "flopcast/cli/shared/library_options.hpp"
#include "flopcast/cli/shared/option_set.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* lapack_help = "LAPACK: reference, openblas or a path";

void add_kernels_option(OptionSet& command, machine::LibraryChoice& choice) {
  command
      .option(
          "--kernels", choice.kernels,
          "Kernels of the BLAS. auto: where the BLAS misreads the CPU, the kernels found best by trying; library: the library's own choice")
      .show_default()
      .choices({"auto", "library"});
}

}  // namespace

void add_library_options(OptionSet& command, machine::LibraryChoice& choice) {
  command.option("--blas", choice.blas, "BLAS: openblas-serial, openblas-pthread, blis, reference, ... or a path")
      .setting("blas")
      .completes(ValueKind::blas);
  command.option("--lapack", choice.lapack, lapack_help).setting("lapack").completes(ValueKind::lapack);
  command.option("--threads", choice.threads, "Threads of the BLAS").setting("threads").show_default().range(1, 1024);
  add_kernels_option(command, choice);
}

void add_library_lists(OptionSet& command, machine::LibraryChoice& choice, std::string& blas, std::string& threads) {
  command.option("--blas", blas, "BLAS, one or several: openblas-serial,blis-serial; names or paths")
      .setting("blas")
      .completes(ValueKind::blas);
  command.option("--lapack", choice.lapack, lapack_help).setting("lapack").completes(ValueKind::lapack);
  command.option("--threads", threads, "Threads of the BLAS, one number or several: 1,2").setting("threads").show_default();
  add_kernels_option(command, choice);
}

}  // namespace flopcast::cli
