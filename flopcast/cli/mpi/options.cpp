#include "flopcast/cli/mpi/options.hpp"

namespace flopcast::cli {

void add_mpi_command(OptionSet& app, CommonOptions& common) {
  OptionSet mpi = app.add_command("mpi", "Critical paths of MPI programs, and tuning by them");
  mpi.require_command();
  mpi.footer("Example:\n  mpirun -n 2 flopcast mpi run -- ./app");
  add_mpi_run_command(mpi, common);
  add_mpi_show_command(mpi, common);
  add_mpi_tune_command(mpi, common);
  add_mpi_advise_command(mpi, common);
  add_mpi_simulate_command(mpi, common);
  add_mpi_describe_command(mpi, common);
}

}  // namespace flopcast::cli
