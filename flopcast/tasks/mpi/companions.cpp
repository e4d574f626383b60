#include "flopcast/tasks/mpi/companions.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Returns the number that a variable of this process holds; nothing if it isn't set or holds another text.
std::optional<int> number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? number(text) : std::nullopt;
}

/// Returns the value of a variable in an environment as /proc shows it.
std::optional<std::string> value_of(const std::string& environment, const std::string& name) {
  const std::string start = name + '=';
  for (std::size_t at = 0; at < environment.size();) {
    const std::size_t end = std::min(environment.find('\0', at), environment.size());
    if (environment.compare(at, start.size(), start) == 0) {
      return environment.substr(at + start.size(), end - at - start.size());
    }
    at = end + 1;
  }
  return std::nullopt;
}

/// Returns the parent of `process`, 0 if there is none. The number is the second field behind the name, which may contain blanks.
pid_t parent_of(const fs::path& proc, pid_t process) {
  const std::string status = contents(proc / std::to_string(process) / "stat");
  const std::size_t name_end = status.rfind(')');
  std::istringstream fields(name_end == std::string::npos ? std::string() : status.substr(name_end + 1));
  std::string state;
  pid_t parent = 0;
  fields >> state >> parent;
  return parent;
}

std::string executable_of(const fs::path& proc, pid_t process) {
  std::error_code none;
  return fs::read_symlink(proc / std::to_string(process) / "exe", none).string();
}

/// Returns the nearest ancestor of `process` that has no rank from mpirun: mpirun itself, or its deputy on this node.
pid_t launcher_of(const fs::path& proc, pid_t process, const LauncherVariables& variables) {
  while (process > 0 && value_of(contents(proc / std::to_string(process) / "environ"), variables.rank)) {
    process = parent_of(proc, process);
  }
  return process;
}

NodeProcess::TracingState state_of(const fs::path& proc, pid_t process, const std::string& environment, const std::string& program,
                                   const std::string& own_program) {
  if (program == own_program || fs::path(program).filename() == "flopcast" || value_of(environment, protocol::mpi_options_variable)) {
    return NodeProcess::TracingState::traced;
  }
  const std::string maps = contents(proc / std::to_string(process) / "maps");
  const bool has_mpi = maps.find("/libmpi.so") != std::string::npos || maps.find("/libmpich.so") != std::string::npos;
  return has_mpi ? NodeProcess::TracingState::plain : NodeProcess::TracingState::starting;
}

/// Waits at most a second for mpirun to read this process's output, because mpirun drops unread output when it ends the job.
void await_readers() noexcept {
  constexpr useconds_t nap = 10000;
  std::fflush(nullptr);
  for (int i = 0; i < 100; ++i) {
    int out = 0;
    int error = 0;
    ioctl(STDOUT_FILENO, FIONREAD, &out);
    ioctl(STDERR_FILENO, FIONREAD, &error);
    if (out + error == 0) {
      break;
    }
    usleep(nap);
  }
  usleep(5 * nap);  // lets mpirun pass the output on
}

}  // namespace

std::optional<LauncherVariables> launcher_variables() {
  constexpr std::array all = {LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                              LauncherVariables{"PMI_RANK", "MPI_LOCALNRANKS"}};
  for (const LauncherVariables& variables : all) {
    if (std::getenv(variables.rank) != nullptr && std::getenv(variables.local_size) != nullptr) {
      return variables;
    }
  }
  return std::nullopt;
}

std::vector<NodeProcess> processes_of_launcher(const fs::path& proc, pid_t self, const LauncherVariables& variables) {
  const pid_t launcher = launcher_of(proc, self, variables);
  const std::string own_program = executable_of(proc, self);
  std::vector<NodeProcess> all;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(proc, none)) {
    const std::optional<int> process = number(entry.path().filename().string());
    if (!process) {
      continue;
    }
    const std::string environment = contents(entry.path() / "environ");
    const std::optional<std::string> text = value_of(environment, variables.rank);
    const std::optional<int> rank = text ? number(*text) : std::nullopt;
    if (rank && launcher_of(proc, *process, variables) == launcher) {
      const std::string program = executable_of(proc, *process);
      all.push_back({*rank, *process, state_of(proc, *process, environment, program, own_program), program});
    }
  }
  return all;
}

std::optional<NodeProcess> process_without_flopcast(int local_size, const std::function<std::vector<NodeProcess>()>& look,
                                                    const std::function<void()>& nap) {
  constexpr int max_looks = 500;
  constexpr int looks_for_others = 100;  // a process that sees no other one by then never will
  for (int i = 0; i < max_looks; ++i) {
    std::map<int, NodeProcess> by_rank;  // the most informative process of each rank
    for (const NodeProcess& each : look()) {
      const auto [known, is_new] = by_rank.emplace(each.rank, each);
      const bool tells_more = each.state == NodeProcess::TracingState::traced || known->second.state == NodeProcess::TracingState::starting;
      if (!is_new && tells_more) {
        known->second = each;
      }
    }
    int traced = 0;
    for (const auto& [rank, each] : by_rank) {
      if (each.state == NodeProcess::TracingState::plain) {
        return each;
      }
      traced += each.state == NodeProcess::TracingState::traced ? 1 : 0;
    }
    if (traced >= local_size || (i >= looks_for_others && by_rank.size() < 2)) {
      return std::nullopt;
    }
    nap();
  }
  return std::nullopt;
}

void require_all_traced() {
  const std::optional<LauncherVariables> variables = launcher_variables();
  const std::optional<int> local_size = variables ? number_in_environment(variables->local_size) : std::nullopt;
  if (!local_size || *local_size < 2) {
    return;
  }
  const auto look = [&] { return processes_of_launcher("/proc", getpid(), *variables); };
  const auto nap = [] {
    constexpr useconds_t duration = 20000;
    usleep(duration);
  };
  if (const std::optional<NodeProcess> plain = process_without_flopcast(*local_size, look, nap)) {
    throw environment_error(
        "the process of rank {} runs {} without flopcast. Traced processes exchange their paths, so that all or none of them must be "
        "traced. Write 'flopcast mpi run --' before every program, as in: mpirun -n 1 flopcast mpi run -- ./a : -n 1 flopcast mpi run -- "
        "./b",
        plain->rank, plain->program);
  }
}

void end_job_at_exit(int exit_code) {
  static int code = 0;
  code = exit_code;
  std::atexit([] {
    const std::optional<int> connection = number_in_environment("PMI_FD");
    if (connection && number_in_environment("PMI_SIZE").value_or(1) > 1) {
      await_readers();
      dprintf(*connection, "cmd=abort exitcode=%d\n", code);
    }
  });
}

}  // namespace flopcast
