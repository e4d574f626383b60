#include "tests/cli/run_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace flopcast::testing {
namespace {

/// A new directory that goes with the process.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_cli_test.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) {
    result.push_back(string.data());
  }
  result.push_back(nullptr);
  return result;
}

std::string variable_name(const std::string& variable) { return variable.substr(0, variable.find('=')); }

/// This process's environment with `changes` in it.
std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> merged = changes;
  for (char** present = environ; *present != nullptr; ++present) {
    const auto changed = [&](const std::string& change) { return variable_name(change) == variable_name(*present); };
    if (std::none_of(changes.begin(), changes.end(), changed)) {
      merged.emplace_back(*present);
    }
  }
  return merged;
}

std::vector<std::string> data_directory() {
  return {"FLOPCAST_HOME=" FLOPCAST_TEST_HOME,
          "COLUMNS=",
          "FLOPCAST_SYSTEM_WISDOM=",
          "FLOPCAST_CONFIG=",
          "FLOPCAST_BLAS=",
          "FLOPCAST_LAPACK=",
          "FLOPCAST_THREADS=",
          "FLOPCAST_TIME_BUDGET="};
}

}  // namespace

Ended run_program(const std::vector<std::string>& arguments, const std::string& input, const std::vector<std::string>& environment) {
  const ScratchDirectory scratch;
  const std::string in = scratch.path() / "in", out = scratch.path() / "out", err = scratch.path() / "err";
  std::ofstream(in) << input;

  std::vector<std::string> words = arguments, variables = merged_environment(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failure = ::posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw std::runtime_error("cannot start " + words.front());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

Ended flopcast(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> words = {FLOPCAST_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_program(words, input, data_directory());
}

Ended shell(const std::string& command) {
  const std::string path = std::filesystem::path(FLOPCAST_PROGRAM).parent_path().string() + ':' + std::getenv("PATH");
  std::vector<std::string> environment = data_directory();
  environment.push_back("PATH=" + path);
  return run_program({"/bin/bash", "-c", "cd \"$FLOPCAST_HOME\" && " + command}, "", environment);
}

}  // namespace flopcast::testing
