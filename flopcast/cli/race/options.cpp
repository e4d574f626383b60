#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/cli/race/tables.hpp"
#include "flopcast/cli/shared/command.hpp"
#include "flopcast/cli/shared/interrupt.hpp"
#include "flopcast/cli/shared/option_set.hpp"
#include "flopcast/cli/shared/options.hpp"
#include "flopcast/cli/shared/request_options.hpp"
#include "flopcast/cli/shared/result_files.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast::cli {
namespace {

constexpr const char* footer =
    R"(The first command is the reference. Runs are interleaved in random order, and the race stops once every verdict is certain: of
100 pairs of equal commands, 5 at most are called faster or slower, on a noisy machine, too. In each round the reference runs twice,
and the comparison with itself (A/A) is shown as a control. No shell starts the commands: for pipes,
variables and commands that have -- themselves write sh -c '...'.
A race that Ctrl-C or the time budget ends goes on when the same command line is run again.

Examples:
  flopcast race -- ./solver-old input.txt -- ./solver-new input.txt
  flopcast race --fail-above 5% --time-budget 2min -- ./base -- ./change
  flopcast race --prepare sync --name plain --name squeezed -- cat big.txt -- sh -c 'gzip -dc big.gz >copy.txt')";

struct RaceWords {
  RaceRequest request;
  std::vector<std::string> words;  ///< behind the first --
  ResultFiles files;
};

/// Returns the commands, between which `--` stands.
std::vector<std::vector<std::string>> commands_of(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> commands(1);
  for (const std::string& word : words) {
    if (word == "--") {
      commands.emplace_back();
    } else {
      commands.back().push_back(word);
    }
  }
  return commands;
}

void race(RaceWords options, CommonOptions& common) {
  RaceRequest& request = options.request;
  request.commands = commands_of(options.words);
  if (!std::all_of(request.commands.begin(), request.commands.end(), names_program)) {
    throw usage_error("a command to race is missing. Give each after --, as in: flopcast race -- ./old -- ./new");
  }
  const RunContext context = keeping_if_possible(program_context(common), "runs of a race that ends early are not kept");
  const CommandRace result = race_commands(Workbench({}, context), request, context);
  if (common.json) {
    emit_document(result, common);
  } else {
    emit(race_table(result), common);
  }
  write_result_files(result, options.files, common);
  throw_if_interrupted("what was timed is shown and kept; run the same command again to go on");
  if (result.ending == RaceEnding::budget) {
    note("flopcast: time or runs are used up before every verdict is certain; --time-budget and --max-runs allow more", common);
  }
  if (result.fails()) {
    common.exit_code = static_cast<int>(ExitCode::check_failed);
  }
}

}  // namespace

void add_race_command(OptionSet& app, CommonOptions& common) {
  auto options = std::make_shared<RaceWords>();
  OptionSet command = app.add_command("race", "Race commands: which of them is faster than the first");
  add_request(command, options->request);
  command.option("command", options->words, "Commands and their arguments").placeholder("-- COMMAND [-- COMMAND]");
  add_result_files(command, options->files);
  command.footer(footer);
  command.action([options, &common] { race(*options, common); });
}

}  // namespace flopcast::cli
