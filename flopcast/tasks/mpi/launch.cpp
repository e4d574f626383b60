#include "flopcast/tasks/mpi/launch.hpp"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "flopcast/program/launch.hpp"
#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/mpi/profile.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// `base_case` for --base-case.
std::string name_of_option(const std::string& word) {
  std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Whether a program that asks for parameter `name` gets what the command line says: the value is a word of its own, in one place, and not
/// that of an option with another name.
bool may_be_asked_for(const MpiSpace& space, const std::string& name) {
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

/// What the program has told, of the executions that it was asked for; a last line that isn't whole is one that it was killed over.
struct Told {
  std::vector<std::optional<json>> profiles;
  std::size_t last = 0;  ///< the one that was begun last
};

Told read_results(const std::string& file, std::size_t asked) {
  Told told{std::vector<std::optional<json>>(asked), 0};
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    const json document = json::parse(line, nullptr, false);
    if (document.is_discarded()) {
      throw environment_error("{} has a line that is no result: is the disk full?", file);
    }
    told.last = document.at("execution").get<std::size_t>();
    if (document.contains("profile")) {
      told.profiles.at(told.last) = document.at("profile");
    }
  }
  return told;
}

}  // namespace

MpiLaunch::MpiLaunch(const MpiSpace& space) : space_(space) {
  for (const auto& [name, values] : space.parameters) {
    if (may_be_asked_for(space, name)) {
      by_name_.insert(name);
    }
  }
}

std::vector<std::size_t> MpiLaunch::together(const std::vector<Execution>& executions) const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    const MpiSetting& first = executions.front().setting;
    const MpiSetting& other = executions[i].setting;
    if (std::equal(first.begin(), first.end(), other.begin(), other.end(),
                   [&](const auto& a, const auto& b) { return a == b || (a.first == b.first && by_name_.count(a.first) != 0); })) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

std::vector<std::string> MpiLaunch::words(const MpiSetting& setting, const MpiFollowing& following) const {
  std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$@\" >&2", "sh"};  // what the program prints is no result of ours
  words.insert(words.end(), space_.launcher.begin(), space_.launcher.end());
  words.insert(words.end(),
               {fs::read_symlink("/proc/self/exe").string(), "mpi", "run", "--quiet", "--tolerance",
                fmt::format("{}", following.precision.tolerance), "--confidence", fmt::format("{}", following.precision.confidence),
                "--statistics", file("statistics.json"), "--executions", file("executions.json"), "--results", file("results")});
  if (following.across_sizes) {
    words.emplace_back("--across-sizes");
  }
  if (!following.windows) {
    words.emplace_back("--no-windows");
  }
  words.insert(words.end(), {"--patience", following.patience, "--kernels", following.kernels});
  if (!following.thread_multiple) {
    words.emplace_back("--no-thread-multiple");
  }
  words.emplace_back("--");
  const std::vector<std::string> command = command_of(space_, setting);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

MpiLaunchResult MpiLaunch::run(const std::vector<Execution>& executions, const MpiKnownKernels& known,
                               const MpiFollowing& following) const {
  std::vector<std::size_t> numbers = together(executions);
  if (numbers.size() > 1 && executions.front().policy == path::policy_name(path::Policy::full)) {
    numbers.insert(numbers.begin(), numbers.front());  // what is executed first in a process takes longer
  }
  std::vector<interpose::MpiExecution> asked;
  for (const std::size_t number : numbers) {
    const Execution& execution = executions[number];
    asked.push_back({{execution.setting.begin(), execution.setting.end()}, path::policy_named(execution.policy), following.full_teaches});
  }
  folder_.write("statistics.json", known.document().dump());
  folder_.write("executions.json", interpose::to_text(asked));
  std::error_code none;
  fs::remove(file("results"), none);
  MpiLaunchResult result;
  const Stopwatch watch;
  // mpirun ends its processes when it is asked to.
  const int code = interpose::run_program("/bin/sh", words(executions.front().setting, following), process::current_environment(), SIGTERM);
  result.seconds = watch.elapsed();
  Told told = read_results(file("results"), numbers.size());
  if (code != 0) {
    told.profiles[told.last].reset();
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (told.profiles[i]) {
      result.profiles[numbers[i]] = std::move(*told.profiles[i]);
    }
  }
  if (result.profiles.count(numbers[told.last]) == 0) {
    result.failed = numbers[told.last];
  }
  return result;
}

}  // namespace flopcast
