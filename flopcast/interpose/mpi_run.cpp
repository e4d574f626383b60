#include "flopcast/interpose/mpi_run.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/component.hpp"
#include "flopcast/interpose/launch.hpp"
#include "flopcast/interpose/process_environment.hpp"

namespace flopcast::interpose {
namespace {

namespace fs = std::filesystem;

/// An empty file for the profile, in a folder of this machine; removed with this object.
class ProfileFile {
 public:
  ProfileFile() : path_((fs::temp_directory_path() / "flopcast-mpi-XXXXXX").string()) {
    const int file = mkstemp(path_.data());
    if (file < 0) {
      throw environment_error("can't make a file {}: {}", path_, std::strerror(errno));
    }
    close(file);
  }
  ProfileFile(const ProfileFile&) = delete;
  ProfileFile& operator=(const ProfileFile&) = delete;
  ~ProfileFile() {
    unlink(path_.c_str());
    unlink((path_ + ".part").c_str());
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string contents() const {
    std::ifstream file(path_, std::ios::binary);
    std::string text(fs::file_size(path_), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
  }

 private:
  std::string path_;
};

/// What the dynamic linker would load for `program`: it says so itself where this variable is set, and doesn't start the program.
std::string loaded_libraries(const fs::path& program) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    throw environment_error("can't make a pipe: {}", std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  std::vector<std::string> environment = current_environment();
  set_variable(environment, "LD_TRACE_LOADED_OBJECTS", "1");
  std::vector<std::string> arguments = {program.string()};
  pid_t child = -1;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t bytes = 0; error == 0 && (bytes = read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  close(ends[0]);
  if (error == 0) {
    int status = 0;
    waitpid(child, &status, 0);
  }
  return text;
}

bool is_script(const fs::path& program) {
  std::array<char, 2> start{};
  std::ifstream(program, std::ios::binary).read(start.data(), start.size());
  return start[0] == '#' && start[1] == '!';
}

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

/// The MPI whose mpirun has started us, empty if nothing tells.
std::string launching_mpi() { return is_set("OMPI_COMM_WORLD_RANK") ? "openmpi" : is_set("PMI_RANK") || is_set("PMI_FD") ? "mpich" : ""; }

/// Whether this process will be rank 0, as far as the launcher tells.
bool is_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) {
      return std::string_view(rank) == "0";
    }
  }
  return true;
}

std::string chosen_mpi(const fs::path& program, const std::string& mpi) {
  std::string chosen = !mpi.empty() ? mpi : linked_mpi(program).value_or(launching_mpi());
  if (chosen.empty()) {
    throw environment_error(
        "{} is linked with no MPI that flopcast knows; if it opens one at run time, say which: --mpi openmpi or --mpi mpich",
        program.string());
  }
  return chosen;
}

}  // namespace

std::optional<std::string> linked_mpi(const fs::path& program) {
  if (is_script(program)) {
    return std::nullopt;
  }
  const std::string libraries = loaded_libraries(program);
  if (libraries.find("libmpich.so") != std::string::npos) {
    return "mpich";
  }
  return libraries.find("libmpi.so") != std::string::npos ? std::optional<std::string>("openmpi") : std::nullopt;
}

MpiRun run_mpi_program(const std::vector<std::string>& command, const std::string& mpi, MpiOptions options) {
  const fs::path program = find_program(command.at(0));
  require_preloadable(program);
  const ProfileFile file;
  options.profile = file.path();
  std::vector<std::string> environment = current_environment();
  set_variable(environment, mpi_options_variable, to_text(options));
  preload(environment, find_component("libflopcast-mpi-" + chosen_mpi(program, mpi) + ".so").string());

  MpiRun run;
  run.first = is_first();
  run.exit_code = run_program(program, command, std::move(environment));
  std::string text = file.contents();
  if (text.empty() || text.front() != '{') {
    run.stage = std::move(text);
  } else {
    run.profile = std::move(text);
  }
  return run;
}

}  // namespace flopcast::interpose
