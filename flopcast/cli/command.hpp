#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

/// One file per subcommand: each adds itself to the application and does its work in CLI11's callback. Errors are thrown (support/error.hpp)
/// and caught once, in main.
namespace flopcast::cli {

/// Options that every subcommand understands.
struct CommonOptions {
  bool json = false;
  bool csv = false;  ///< tables as comma-separated values
  bool quiet = false;
  std::string output = "-";  ///< "-": standard output
  std::string color = "auto";
  int exit_code = 0;  ///< set by a subcommand: what the program returns when nothing is thrown
};

void add_machine_command(CLI::App& app, CommonOptions& common);
void add_sample_command(CLI::App& app, CommonOptions& common);
void add_model_command(CLI::App& app, CommonOptions& common);
void add_trace_command(CLI::App& app, CommonOptions& common);
void add_predict_command(CLI::App& app, CommonOptions& common);
void add_tune_command(CLI::App& app, CommonOptions& common);
void add_rank_command(CLI::App& app, CommonOptions& common);
void add_run_command(CLI::App& app, CommonOptions& common);
void add_record_command(CLI::App& app, CommonOptions& common);
void add_profile_command(CLI::App& app, CommonOptions& common);
void add_roofline_command(CLI::App& app, CommonOptions& common);
void add_contract_command(CLI::App& app, CommonOptions& common);
void add_mpi_command(CLI::App& app, CommonOptions& common);

}  // namespace flopcast::cli
