#pragma once

#include "flopcast/cli/shared/noisy_lines.hpp"
#include "flopcast/cli/shared/option_set.hpp"

#include <memory>
#include <optional>
#include <string>

/// Declarations of the subcommands. Each adds itself to the program and does its work in its action. Errors are thrown (support/error.hpp)
/// and caught once, in main.
namespace flopcast::cli {

/// Options that every subcommand understands.
struct CommonOptions {
  bool json = false;
  bool csv = false;  ///< tables as comma-separated values
  bool quiet = false;
  std::string output = "-";  ///< "-": standard output
  std::string color = "auto";
  /// Set by a subcommand: the code that the program returns when nothing is thrown. Empty: 0, or that of an interruption.
  std::optional<int> exit_code;
  std::shared_ptr<NoisyLines> noise = std::make_shared<NoisyLines>();  ///< first lines of results
};

void add_machine_command(OptionSet& app, CommonOptions& common);
void add_sample_command(OptionSet& app, CommonOptions& common);
void add_model_command(OptionSet& app, CommonOptions& common);
void add_trace_command(OptionSet& app, CommonOptions& common);
void add_predict_command(OptionSet& app, CommonOptions& common);
void add_tune_command(OptionSet& app, CommonOptions& common);
void add_rank_command(OptionSet& app, CommonOptions& common);
void add_run_command(OptionSet& app, CommonOptions& common);
void add_env_command(OptionSet& app, CommonOptions& common);
void add_wisdom_command(OptionSet& app, CommonOptions& common);
void add_export_command(OptionSet& app, CommonOptions& common);
void add_record_command(OptionSet& app, CommonOptions& common);
void add_doctor_command(OptionSet& app, CommonOptions& common);
void add_extract_command(OptionSet& app, CommonOptions& common);
void add_profile_command(OptionSet& app, CommonOptions& common);
void add_scale_command(OptionSet& app, CommonOptions& common);
void add_race_command(OptionSet& app, CommonOptions& common);
void add_verify_command(OptionSet& app, CommonOptions& common);
void add_roofline_command(OptionSet& app, CommonOptions& common);
void add_compare_command(OptionSet& app, CommonOptions& common);
void add_report_command(OptionSet& app, CommonOptions& common);
void add_contract_command(OptionSet& app, CommonOptions& common);
void add_mpi_command(OptionSet& app, CommonOptions& common);
void add_ask_command(OptionSet& app, CommonOptions& common);
void add_help_command(OptionSet& app, CommonOptions& common);
void add_columns_command(OptionSet& app, CommonOptions& common);
void add_schema_command(OptionSet& app, CommonOptions& common);

}  // namespace flopcast::cli
