#include "flopcast/program/launch.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast::interpose {
namespace {

namespace fs = std::filesystem;

bool is_executable_file(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

/// Returns the interpreter that a script names in its first line; empty if `file` is no script.
fs::path interpreter_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!std::getline(in, line) || line.rfind("#!", 0) != 0) {
    return {};
  }
  std::string interpreter;
  std::istringstream(line.substr(2)) >> interpreter;
  return interpreter;
}

ElfW(Ehdr) elf_header(std::ifstream& in) {
  ElfW(Ehdr) header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  return header;
}

/// Throws environment_error if `file` with this header isn't a program for this machine.
void require_this_machine(const fs::path& file, const ElfW(Ehdr) & header) {
  if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) {
    throw environment_error("{} is a {}-bit program. Libraries of flopcast can only be preloaded into {}-bit programs", file.string(),
                            header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32, 8 * sizeof(void*));
  }
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const ElfW(Ehdr) own = elf_header(self);
  if (self && (header.e_machine != own.e_machine || header.e_ident[EI_DATA] != own.e_ident[EI_DATA])) {
    throw environment_error(
        "{} is built for another architecture than flopcast (number {} of the ELF format, not {}). Libraries of flopcast can't be "
        "preloaded into it. Build flopcast for that architecture",
        file.string(), header.e_machine, own.e_machine);
  }
}

/// Returns the dynamic loader that an ELF program names; empty if it names none. Throws environment_error if `file` isn't a program for
/// this machine.
fs::path loader_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const ElfW(Ehdr) header = elf_header(in);
  if (!in || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    throw environment_error("{} is neither a program nor a script", file.string());
  }
  require_this_machine(file, header);
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof segment)) {
      throw environment_error("{} is a damaged program: its headers are cut off", file.string());
    }
    if (segment.p_type == PT_INTERP) {
      std::string loader(std::min<std::size_t>(segment.p_filesz, PATH_MAX), '\0');
      in.seekg(static_cast<std::streamoff>(segment.p_offset));
      in.read(loader.data(), static_cast<std::streamsize>(loader.size()));
      return loader.c_str();
    }
  }
  return {};
}

/// Throws environment_error unless the program uses glibc, which flopcast's libraries need. Its loader identifies it.
void require_glibc(const fs::path& file, const fs::path& loader) {
  if (std::error_code none; !fs::exists(loader, none)) {
    throw environment_error("{} can't be started: its dynamic loader {} isn't on this machine", file.string(), loader.string());
  }
  std::ostringstream code;
  code << std::ifstream(loader, std::ios::binary).rdbuf();
  const bool is_glibc =
      code.str().find("GLIBC_PRIVATE") != std::string::npos;  // version of symbols that the loader shares with its C library
  if (!is_glibc) {
    throw environment_error(
        "{} is built for another C library than glibc: its dynamic loader is {}. Libraries of flopcast can't be preloaded into it. Build "
        "it with glibc",
        file.string(), loader.string());
  }
}

void require_own_rights(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) {
    throw environment_error("can't read the status of file {}: {}", file.string(), std::strerror(errno));
  }
  const bool other_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getegid();
  if (other_user || other_group) {
    throw environment_error("{} runs with another {}'s rights (set{}id). The system allows no libraries to be preloaded into it",
                            file.string(), other_user ? "user" : "group", other_user ? "u" : "g");
  }
}

/// Returns the set of the signals that are passed on, and SIGCHLD.
sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, number);
  }
  return set;
}

/// Blocks the awaited signals while it lives. They are taken with sigwaitinfo.
class BlockedSignals {
 public:
  BlockedSignals() : awaited_(awaited_signals()) { pthread_sigmask(SIG_BLOCK, &awaited_, &before_); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] const sigset_t& awaited() const noexcept { return awaited_; }
  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t awaited_;
  sigset_t before_;
};

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// Returns whether a signal interrupts the user's operations, which must then count as interrupted, not failed.
bool ends_operations(int number) { return number == SIGINT || number == SIGTERM; }

/// Passes signals on until `child` ends, and returns its exit code. The terminal's signals reach the child directly, because it belongs to
/// the same foreground group. `ended_by` becomes the last signal that interrupts operations, if any came.
int wait_for(pid_t child, const BlockedSignals& signals, int& ended_by) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    siginfo_t info{};
    const int number = sigwaitinfo(&signals.awaited(), &info);
    ended_by = number > 0 && ends_operations(number) ? number : ended_by;
    if (number > 0 && number != SIGCHLD && info.si_code != SI_KERNEL) {
      kill(child, number);
    }
  }
  return exit_code(status);
}

/// Delivers a signal, which was taken while the program ran, to this process's own handler. Does nothing without a handler.
void deliver(int number) {
  struct sigaction action {};
  if (number != 0 && sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    raise(number);
  }
}

/// In the child: becomes the program, or writes the reason why it can't to `failure`. Calls only functions that a forked child may call.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, const sigset_t& mask, int last,
                         pid_t parent, int failure) {
  if (last != 0) {
    prctl(PR_SET_PDEATHSIG, last);
    if (getppid() != parent) {  // the parent ended before prctl()
      _exit(128 + last);
    }
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  execve(program, arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &error, sizeof error);
  _exit(127);
}

/// Starts the program and waits for its end.
int run(const fs::path& program, std::vector<std::string>& arguments, std::vector<std::string>& environment, int last, int& ended_by) {
  std::array<int, 2> failure{};
  if (pipe2(failure.data(), O_CLOEXEC) != 0) {
    throw environment_error("can't make a pipe: {}", std::strerror(errno));
  }
  const BlockedSignals signals;
  const std::vector<char*> words = process::pointers(arguments);
  const std::vector<char*> variables = process::pointers(environment);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    become(program.c_str(), words.data(), variables.data(), signals.before(), last, parent, failure[1]);
  }
  int error = child < 0 ? errno : 0;
  close(failure[1]);
  if (child > 0 && read(failure[0], &error, sizeof error) > 0) {
    waitpid(child, nullptr, 0);
  }
  close(failure[0]);
  if (error != 0) {
    throw environment_error("can't start {}: {}", program.string(), std::strerror(error));
  }
  return wait_for(child, signals, ended_by);
}

}  // namespace

fs::path find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (std::error_code none; !fs::exists(command, none)) {
      throw environment_error("there is no program {}", command);
    }
    if (!is_executable_file(command)) {
      throw environment_error("{} can't be executed: it isn't an executable file", command);
    }
    return command;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / command;
    if (is_executable_file(candidate)) {
      return candidate;
    }
  }
  throw environment_error("there is no program '{}' in any folder of PATH", command);
}

void require_preloadable(const fs::path& program) {
  constexpr int max_interpreters = 5;  // the kernel's limit
  fs::path file = program;
  for (int depth = 0; depth < max_interpreters; ++depth) {
    const fs::path interpreter = interpreter_of(file);
    if (interpreter.empty()) {
      break;
    }
    if (!is_executable_file(interpreter)) {
      throw environment_error("script {} names the interpreter {}, which can't be executed", file.string(), interpreter.string());
    }
    file = interpreter;
  }
  const fs::path loader = loader_of(file);
  if (loader.empty()) {
    throw environment_error("{} is linked statically. No library can be preloaded before its LAPACK. Link LAPACK dynamically",
                            file.string());
  }
  require_glibc(file, loader);
  require_own_rights(file);
}

int run_program(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment, int last) {
  int ended_by = 0;
  const int code = run(program, arguments, environment, last, ended_by);
  deliver(ended_by);
  return code;
}

}  // namespace flopcast::interpose
