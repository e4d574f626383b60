#include "flopcast/cli/shared/run_options.hpp"

namespace flopcast::cli {

void add_run_options(OptionSet& command, RunRequest& request) {
  command.option("--profile", request.profile, "Profile to run with (default: what 'flopcast tune --save' keeps)").placeholder("FILE");
  command.option("--blas", request.blas, "BLAS for the program to load as libblas.so.3, by name or path (default: its own)")
      .completes(ValueKind::blas);
  command
      .option("--lapack", request.lapack,
              "LAPACK to load as liblapack.so.3 (default: its own; with --blas the reference where it is installed)")
      .completes(ValueKind::lapack);
  command
      .option("--kernels", request.kernels,
              "Kernels of BLAS. auto: where the BLAS misreads the CPU, those of the profile or those found best by trying; library: the "
              "BLAS chooses by itself")
      .show_default()
      .choices({"auto", "library"});
  command.option("--threads", request.threads, "Threads of BLAS").range(1, 1024);
  command.flag("--other-machine", request.other_machine, "Use a profile that was made on another machine");
}

}  // namespace flopcast::cli
