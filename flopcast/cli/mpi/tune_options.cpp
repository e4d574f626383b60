#include <memory>
#include <string>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
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

More:
Kernel times are kept in the store, for all programs on this machine with the same MPI, BLAS and number of processes.
Under any policy but full kernels are skipped: the program computes and prints garbage. If its course depends on its results (a residual
check, a loop that ends when it has converged), the self-check finds out, and the program is executed in full from then on.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --confirm auto
  flopcast mpi tune space.json --policy local --time-precision 0.05 --validate)";

void tune(const MpiTuneRequest& request, const ResultFiles& files, const CommonOptions& common) {
  const MpiTuning tuning = tune_mpi(Workbench({}, run_context(common)), request, run_context(common));
  common.json ? emit_document(tuning, common) : emit(tuning_table(tuning, common.csv), common);
  write_result_files(tuning, files, common);
  if (!common.json && tuning.full_seconds && tuning.selective_seconds) {
    note(fmt::format("flopcast: full executions took {}, selective ones {}: {:.2f} times faster", format_seconds(*tuning.full_seconds),
                     format_seconds(*tuning.selective_seconds), *tuning.full_seconds / *tuning.selective_seconds),
         common);
  }
}

constexpr const char* advise_footer =
    R"(Grids of all processes and of fewer are tried, with block sizes from 16 to 256. Fewer processes have several threads each, or leave
cores idle. Kernels whose time is known are skipped. The configurations that tie with the best are executed in full at the end.
pdsyevd and pdgesvd iterate until they have converged, and are always executed in full.
Where there are more processes than cores, each counts as if it had a core of its own: CPU time and modelled messages.

Examples:
  flopcast mpi advise pdpotrf --n 4000 --ranks 2
  flopcast mpi advise pdgetrf --n 10000 --ranks 16 --mpi mpich --time-budget 10min)";

void advise(const MpiAdviseRequest& request, const CommonOptions& common) {
  const MpiTuning advice = advise_mpi(Workbench({}, run_context(common)), request, run_context(common));
  if (common.json) {
    emit_document(advice, common);
    return;
  }
  emit(tuning_table(advice, common.csv), common);
  const MpiConfiguration& best = advice.best();
  note(fmt::format("flopcast: fastest: a grid of {} processes (rows x columns), blocks of {} in both directions, OPENBLAS_NUM_THREADS={}",
                   best.setting.at("grid"), best.setting.at("nb"), best.setting.at("threads")),
       common);
}

}  // namespace

void add_mpi_tune_command(OptionSet& mpi, CommonOptions& common) {
  auto request = std::make_shared<MpiTuneRequest>();
  auto files = std::make_shared<ResultFiles>();
  OptionSet command = mpi.add_command("tune", "Predict every configuration of an MPI program by selective execution");
  add_request(command, *request);
  add_result_files(command, *files);
  command.footer(tune_footer);
  command.action([request, files, &common] { tune(*request, *files, common); });
}

void add_mpi_advise_command(OptionSet& mpi, CommonOptions& common) {
  auto request = std::make_shared<MpiAdviseRequest>();
  OptionSet command = mpi.add_command("advise", "Find the fastest grid, block size and threads for a routine of ScaLAPACK");
  add_request(command, *request);
  command.footer(advise_footer);
  command.action([request, &common] { advise(*request, common); });
}

}  // namespace flopcast::cli
