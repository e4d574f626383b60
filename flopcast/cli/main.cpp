#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/help_formatter.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/file.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/support/version.hpp"

namespace flopcast::cli {
namespace {

constexpr int broken_pipe_exit_code = 141;  // what a shell says of a program ended by SIGPIPE

constexpr const char* footer = R"(Exit codes:
  0 done, 1 a requested check failed, 2 usage, 3 bad input, 4 environment,
  5 measurement unusable, 70 internal error, 130 interrupted (143 by SIGTERM)

Examples:
  flopcast machine
  flopcast tune dgeqrf --n 200:3200 --save)";

void add_commands(CLI::App& app, CommonOptions& common) {
  OptionSet top(&app);
  for (const auto add : {add_machine_command, add_tune_command, add_rank_command, add_contract_command, add_roofline_command,
                         add_run_command, add_record_command, add_profile_command, add_mpi_command, add_sample_command, add_model_command,
                         add_trace_command, add_predict_command}) {
    add(top, common);
  }
  add_common_options(top, common);
}

/// The words of the command line up to `--`.
std::vector<std::string> words(int argc, char** argv) {
  const std::vector<std::string> all(argv + 1, argv + argc);
  return {all.begin(), std::find(all.begin(), all.end(), "--")};
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options({})) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  return names;
}

/// ` (did you mean 'x'?)` for the nearest of `candidates`, or nothing.
std::string suggestion(const std::string& given, const std::vector<std::string>& candidates) {
  const std::vector<std::string> nearest = nearest_names(given, candidates);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", fmt::join(nearest, "' or '"));
}

/// Returns a message about a command line that CLI11 refused. Where a name is unknown, the message helps more than CLI11's own.
std::string describe(const CLI::App& top, const std::vector<std::string>& given, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr || dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return error.what();  // all names are known: a value is wrong
  }
  const CLI::App* app = &top;
  int values = 0, more = 0;  // that the option before takes at least, and may take
  for (const std::string& word : given) {
    if (values > 0) {
      --values;
      --more;
      continue;
    }
    if (word.rfind("--", 0) == 0) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> known = option_names(*app);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return fmt::format("unknown option '{}'{}", name, suggestion(name, known));
      }
      const CLI::Option* option = app->get_option_no_throw(name);
      const bool takes_words = option != nullptr && name.size() == word.size();
      values = takes_words ? option->get_items_expected_min() : 0;
      more = takes_words ? option->get_items_expected_max() : 0;
      continue;
    }
    const std::vector<std::string> commands = command_names(*app);
    if (word.front() == '-' || commands.empty()) {
      continue;
    }
    if (std::find(commands.begin(), commands.end(), word) == commands.end()) {
      if (more > 0) {
        --more;
        continue;
      }
      return fmt::format("unknown command '{}'{}", word, suggestion(word, commands));
    }
    app = app->get_subcommand(word);
  }
  return error.what();
}

/// Full name of the subcommand that was reached, e.g. "flopcast model build".
std::string reached_command(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app.get_name() : app.get_name() + ' ' + reached_command(*parsed.front());
}

int report_parse_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const bool version = dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr;
    write_file("-", version ? std::string(error.what()) + '\n' : app.help());
    return 0;
  }
  say(fmt::format("flopcast: {}\nSee '{} --help'.\n", describe(app, words(argc, argv), error), reached_command(app)));
  return static_cast<int>(ExitCode::usage);
}

int run(int argc, char** argv) {
  CLI::App app("flopcast: know how fast dense linear algebra will run, before it runs", "flopcast");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("flopcast ") + version(), "Print the version and exit");
  app.footer(footer);
  CommonOptions common;
  add_commands(app, common);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, error, argc, argv);
  }
  return common.exit_code;
}

/// Runs the program; every exception ends here as a message and an exit code.
int guarded_run(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    const bool by_the_user = interrupted() && (error.code() == ExitCode::unusable_measurement || error.code() == ExitCode::environment);
    say(fmt::format("flopcast: {}{}\n", by_the_user ? "interrupted; " : "", error.what()));
    return by_the_user ? interrupted_exit_code() : static_cast<int>(error.code());
  } catch (const Cancelled& interruption) {
    let_results_be_shown();
    say(fmt::format("flopcast: {}\n", interruption.what()));
    return interrupted_exit_code();
  } catch (const BrokenPipe&) {
    return broken_pipe_exit_code;
  } catch (const std::bad_alloc&) {
    say("flopcast: out of memory\n");
    return static_cast<int>(ExitCode::environment);
  } catch (const std::filesystem::filesystem_error& error) {
    say(fmt::format("flopcast: {}\n", error.what()));
    return static_cast<int>(ExitCode::environment);
  } catch (const std::exception& error) {
    say(fmt::format("flopcast: internal error: {}\nThis is a bug of flopcast; please report it with the command line that led here.\n",
                    error.what()));
    return static_cast<int>(ExitCode::internal);
  }
}

}  // namespace
}  // namespace flopcast::cli

int main(int argc, char** argv) {
  flopcast::cli::install_signal_handlers();
  return flopcast::cli::guarded_run(argc, argv);
}
