#include "flopcast/tasks/mpi/launch.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/protocol/mpi_kernel_rows.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Returns `base_case` for --base-case.
std::string name_of_option(const std::string& word) {
  std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Returns whether a program that reads parameter `name` gets the value that the command line has.
bool can_be_read_by_name(const search::ParameterSpace& space, const std::string& name) {
  const std::string place = '{' + name + '}';
  const auto mentions = [&](const std::string& word) { return word.find(place) != std::string::npos; };
  if (std::count_if(space.command.begin(), space.command.end(), mentions) != 1) {
    return false;
  }
  const auto word = std::find(space.command.begin(), space.command.end(), place);
  if (word == space.command.end() || word == space.command.begin()) {
    return false;
  }
  const std::string& before = *std::prev(word);
  return before.rfind('-', 0) != 0 || name_of_option(before) == name;
}

/// Profiles that a program has written, by the numbers of the executions that it was asked for.
struct LaunchOutput {
  std::vector<std::optional<MpiProfile>> profiles;
  std::size_t last = 0;  ///< the execution that was begun last
};

/// Reads the results' lines. A last line that isn't whole belongs to an execution in which the program was killed.
LaunchOutput read_results(const std::string& file, std::size_t asked) {
  LaunchOutput output{std::vector<std::optional<MpiProfile>>(asked), 0};
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    const json document = json::parse(line, nullptr, false);
    if (document.is_discarded()) {
      throw environment_error("{} has a line that is no result. The disk may be full", file);
    }
    in_document("a program's result", [&] {
      output.last = member<std::size_t>(document, "execution");
      if (document.contains("profile")) {
        output.profiles.at(output.last) = member<MpiProfile>(document, "profile");
      }
    });
  }
  return output;
}

}  // namespace

ProgramLauncher::ProgramLauncher(const MpiTuneRequest& request) : space_(request.space) {
  auto run = with_members_of<MpiRunRequest>(request);
  run.policy = selective::Policy::full;  // each execution has its own
  run.prior_profile = file("prior.json");
  const std::vector<std::string> options = {"--executions", file("executions.json"), "--results", file("results"), "--"};
  words_ = {"/bin/sh", "-c", "exec \"$@\" >&2", "sh"};  // the program's output is no result of flopcast
  for (const std::vector<std::string>& more : {space_.launcher, words_of_run(run), options}) {
    words_.insert(words_.end(), more.begin(), more.end());
  }
}

std::vector<std::string> words_of_run(MpiRunRequest run) {
  std::vector<std::string> words = {program::find_flopcast_program().string(), "mpi", "run", "--quiet"};
  if (run.timeout == 0) {  // the option takes 0 in words only
    run.timeout = MpiRunRequest().timeout;
    words.insert(words.end(), {"--timeout", "none"});
  }
  const std::vector<std::string> options = option_words(run);
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

std::vector<std::size_t> executions_of_one_launch(const search::ParameterSpace& space, const std::vector<MpiExecution>& executions) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const search::Setting& first = executions.front().parameters;
    const search::Setting& other = executions[i].parameters;
    if (std::equal(first.begin(), first.end(), other.begin(), other.end(),
                   [&](const auto& a, const auto& b) { return a == b || (a.first == b.first && can_be_read_by_name(space, a.first)); })) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

MpiLaunchResult ProgramLauncher::launch(const std::vector<MpiExecution>& executions, const MpiKnownKernels& known, Seconds limit) {
  std::vector<std::size_t> numbers = executions_of_one_launch(space_, executions);
  if (numbers.size() > 1 && executions.front().policy == selective::Policy::full) {
    numbers.insert(numbers.begin(), numbers.front());
  }
  std::vector<MpiExecution> asked;
  for (const std::size_t number : numbers) {
    asked.push_back(executions[number]);
  }
  folder_.write("prior.json", rows_of(known.list()).dump(-1, ' ', false, json::error_handler_t::replace));
  folder_.write("executions.json", protocol::to_text(asked));
  std::error_code none;
  fs::remove(file("results"), none);
  MpiLaunchResult result;
  const machine::OtherLoad load;
  const Stopwatch watch;
  // SIGTERM, since mpirun ends its processes when it is asked to end.
  std::vector<std::string> environment = process::current_environment();
  process::set_variable(environment, "FLOPCAST_CONFIG", "");  // the words have all options of the processes' `flopcast mpi run`
  std::vector<std::string> words = words_;
  const std::vector<std::string> command = command_of(space_, executions.front().parameters);
  words.insert(words.end(), command.begin(), command.end());
  const int code = program::run_program("/bin/sh", std::move(words), environment, SIGTERM, limit);
  result.seconds = watch.elapsed();
  result.is_cut = limit > 0 && code != 0 && result.seconds >= limit;
  result.cores_of_others = load.cores(machine::OtherLoad::launcher_share).value_or(0);
  LaunchOutput output = read_results(file("results"), numbers.size());
  if (code != 0) {
    output.profiles[output.last].reset();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (output.profiles[i]) {
      result.profiles[numbers[i]] = std::move(*output.profiles[i]);
    }
  }
  if (!result.is_cut && result.profiles.count(numbers[output.last]) == 0) {
    result.failed = numbers[output.last];
    result.exit_code = code;
  }
  return result;
}

}  // namespace flopcast
