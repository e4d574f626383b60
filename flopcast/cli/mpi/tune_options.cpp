#include <charconv>
#include <memory>
#include <string>
#include <system_error>

#include "flopcast/cli/mpi/options.hpp"
#include "flopcast/cli/mpi/tune_tables.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(SPACE is a document like
  {"schema": "flopcast-mpi-space-1", "name": "tile-cholesky-4",
   "launcher": ["mpirun", "-n", "4"],
   "command": ["./tile_cholesky", "--n", "2000", "--nb", "{nb}"],
   "parameters": {"nb": [64, 96, 128]}}
in which every combination of the parameters' values is a configuration. Relative paths begin in the folder where flopcast is started.
Kernel times are kept in the store, for all programs on this machine with the same MPI, BLAS and number of processes.
Under any policy but full kernels are left out: the program computes and prints garbage. If its course depends on its results (a residual
check, a loop that ends when it has converged), the self-check finds out, and the program is executed in full from then on.

Examples:
  flopcast mpi tune space.json
  flopcast mpi tune space.json --confirm auto
  flopcast mpi tune space.json --policy local --tolerance 0.05 --validate)";

void read_confirm(const std::string& text, MpiTuneRequest& request) {
  constexpr std::size_t max_count = 1000000;
  request.confirm_ties = text == "auto";
  request.confirm = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.confirm);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && request.confirm <= max_count;
  if (!request.confirm_ties && !is_number) {
    throw usage_error("--confirm must be auto or a number from 0 to {}, not '{}'", max_count, text);
  }
}

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
  auto options = std::make_shared<MpiTuneRequest>();
  MpiTuneRequest& request = *options;
  OptionSet command = mpi.add_command("tune", "Predict every configuration of an MPI program by selective execution");
  add_request(command, request);
  add_mpi_kernels_option(command, request.tuned_kernels);
  command
      .parsed(
          "--confirm", [&request](const std::string& text) { read_confirm(text, request); },
          "Number of configurations with the least predictions that are executed in full at the end; the fastest of them is chosen. auto: "
          "those whose intervals meet the best one's, as many as take no longer than all executions before (default: 0, predictions "
          "decide)")
      .placeholder("NUMBER|auto");
  command.footer(footer);
  command.action([options, &common] { tune(*options, common); });
}

}  // namespace flopcast::cli
