#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/cli/manual/documents.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/command_line.hpp"
#include "flopcast/cli/shared/exit_codes.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/settings.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/support/file.hpp"

namespace flopcast::cli {
namespace {

constexpr int broken_pipe_exit_code = 141;  // what a shell says of a program ended by SIGPIPE

constexpr const char* examples = R"(Examples:
  flopcast machine
  flopcast tune dgeqrf --n 200:3200 --save)";

std::string exit_code_help() {
  constexpr std::size_t columns = 78;
  std::string text = "Exit codes:", line = "\n ";
  for (const ExitCodeMeaning& one : exit_codes) {
    const std::string entry = fmt::format(" {} {}{}", one.code, one.in_short, &one == &exit_codes.back() ? "" : ",");
    if (line.size() + entry.size() > columns) {
      text += line;
      line = "\n ";
    }
    line += entry;
  }
  return text + line;
}

/// Commands that serve one purpose, in the order of the help text.
struct CommandGroup {
  const char* heading;
  std::vector<void (*)(OptionSet&, CommonOptions&)> commands;
};

void add_commands(OptionSet& top, CommonOptions& common) {
  static const std::vector<CommandGroup> command_groups = {
      {"Find out how fast it is",
       {add_machine_command, add_roofline_command, add_doctor_command, add_record_command, add_profile_command, add_scale_command,
        add_predict_command, add_trace_command, add_sample_command, add_extract_command, add_verify_command}},
      {"Choose what is fastest",
       {add_tune_command, add_rank_command, add_contract_command, add_race_command, add_compare_command, add_mpi_command}},
      {"Run programs with it", {add_run_command, add_env_command}},
      {"Keep and share it", {add_report_command, add_wisdom_command, add_model_command, add_export_command}},
      {"Look up", {add_help_command, add_columns_command, add_schema_command, add_ask_command}},
  };
  for (const CommandGroup& group : command_groups) {
    for (const auto add : group.commands) {
      add(top, common);
      top.commands().back().group(group.heading);
    }
  }
  add_common_options(top, common);
}

/// Returns whether the command line asks for a help text or the version, which are printed whatever the configuration file holds.
bool asks_for_help(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return (!words.empty() && words.front() == "help") || std::any_of(words.begin(), end, [](const std::string& word) {
           return word == "--help" || word == "-h" || word == "--help-all" || word == "--version";
         });
}

/// Presets the options by variables and the configuration file. Returns a paragraph on them for the help.
std::string settings_paragraph(const OptionSet& top, const std::vector<std::string>& words) {
  try {
    return settings_help(top, use_settings(top));
  } catch (const Error& error) {
    if (!asks_for_help(words)) {
      throw;
    }
    tell(fmt::format("flopcast: {}\n", error.what()));
    return fmt::format("Settings: {}", error.what());
  }
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  CommandLine line("flopcast", "flopcast: know how fast dense linear algebra will run, before it runs");
  line.version(std::string("flopcast ") + version());
  OptionSet top = line.options();
  top.require_command();
  top.footer(exit_code_help() + "\n\n" + examples);
  CommonOptions common;
  add_commands(top, common);
  if (const std::optional<int> ended = write_documents(words, top, version())) {
    return *ended;
  }
  top.footer("More:\n" + settings_paragraph(top, words) + "\n\n" + exit_code_help() + "\n\n" + examples);
  const std::optional<int> ended = line.parse(argc, argv);
  note_noise(common);
  if (!ended && !common.exit_code) {  // a command that ran a program has the program's code
    throw_if_interrupted("what was complete by then is shown");
  }
  return ended.value_or(common.exit_code.value_or(0));
}

/// Runs the program; every exception ends here as a message and an exit code.
int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    const bool by_the_user = interrupted() && (error.code() == ExitCode::unusable_measurement || error.code() == ExitCode::environment);
    tell(fmt::format("flopcast: {}{}\n", by_the_user ? "interrupted; " : "", error.what()));
    return by_the_user ? interrupted_exit_code() : static_cast<int>(error.code());
  } catch (const Cancelled& interruption) {
    let_results_be_shown();
    tell(fmt::format("flopcast: {}\n", interruption.what()));
    return interrupted_exit_code();
  } catch (const BrokenPipe&) {
    return broken_pipe_exit_code;
  } catch (const std::exception& exception) {
    const Error error = as_error(exception);
    tell(fmt::format("flopcast: {}\n", error.what()));
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace flopcast::cli

int main(int argc, char** argv) {
  flopcast::cli::install_signal_handlers();
  return flopcast::cli::guarded_run(argc, argv);
}
