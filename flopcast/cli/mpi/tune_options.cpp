#include <memory>
#include <string>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* tune_footer =
    R"(SPACE is a document like
  {"schema": "flopcast-mpi-space-1", "name": "tile-cholesky-4",
   "launcher": ["mpirun", "-n", "4"],
   "command": ["./tile_cholesky", "--n", "2000", "--nb", "{nb}"],
   "parameters": {"nb": [64, 96, 128]}}
in which every combination of the parameters' values is a configuration. Relative paths begin in the folder where flopcast is started.
Kernel times are kept in the store, for all programs on this machine with the same MPI, BLAS and number of processes.
Under any policy but full kernels are skipped: the program computes and prints garbage. If its course depends on its results (a residual
check, a loop that ends when it has converged), the self-check finds out, and the program is executed in full from then on.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --confirm auto
  flopcast mpi tune space.json --policy local --tolerance 0.05 --validate)";

void tune(const MpiTuneRequest& request, const CommonOptions& common) {
  const MpiTuning tuning = tune_mpi(Workbench({}, run_context(common)), request, run_context(common));
  if (common.json) {
    emit_document(tuning, common);
    return;
  }
  emit(tuning_table(tuning), common);
  if (tuning.full_seconds && tuning.selective_seconds) {
    note(fmt::format("flopcast: full executions took {}, selective ones {}: {:.2f} times faster", format_seconds(*tuning.full_seconds),
                     format_seconds(*tuning.selective_seconds), *tuning.full_seconds / *tuning.selective_seconds),
         common);
  }
}

}  // namespace

void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common) {
  auto request = std::make_shared<MpiTuneRequest>();
  OptionSet command = mpi.add_command("tune", "Predict every configuration of an MPI program by selective execution");
  add_request(command, *request);
  command.footer(tune_footer);
  command.action([request, &common] { tune(*request, common); });
}

}  // namespace flopcast::cli
