#include "flopcast/support/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>
#include <utility>

#include "flopcast/support/descriptor.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/process_environment.hpp"

namespace flopcast {
namespace {

namespace fs = std::filesystem;

/// Blocks signals while it lives.
class BlockedSignals {
 public:
  explicit BlockedSignals(const sigset_t& blocked) noexcept { pthread_sigmask(SIG_BLOCK, &blocked, &before_); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

 private:
  sigset_t before_{};
};

constexpr std::size_t max_files = 8;  ///< that a ChildSetup may have

sigset_t all_signals() noexcept {
  sigset_t set;
  sigfillset(&set);
  return set;
}

/// Returns the set of the signals that are passed on to a program in the foreground, and SIGCHLD.
sigset_t awaited_signals() noexcept {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, number);
  }
  return set;
}

// The functions up to become() run in the child. They call only what a child of a process with several threads may call.

/// Gives signals with a handler their default effect, so that no handler of this process runs in the child.
void reset_handlers() noexcept {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
      action = {};
      action.sa_handler = SIG_DFL;
      sigaction(number, &action, nullptr);
    }
  }
}

/// Moves a file to a number above those that the child's files get.
int moved_above(int file, const ChildSetup& setup) noexcept {
  const int highest = setup.files.empty() ? STDERR_FILENO : std::max(setup.files.rbegin()->first, STDERR_FILENO);
  return ::fcntl(file, F_DUPFD_CLOEXEC, highest + 1);
}

/// Gives the child's files their numbers. Returns false, with errno set, if that fails.
bool place_files(const ChildSetup& setup) noexcept {
  std::pair<int, int> moved[max_files];
  std::size_t count = 0;
  for (const auto& [number, file] : setup.files) {
    moved[count] = {number, moved_above(file, setup)};
    if (moved[count++].second < 0) {
      return false;
    }
  }
  if (setup.silent) {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || ::dup2(null, STDOUT_FILENO) < 0 || ::dup2(null, STDERR_FILENO) < 0) {
      return false;
    }
    if (null > STDERR_FILENO) {
      ::close(null);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (::dup2(moved[i].second, moved[i].first) < 0) {
      return false;
    }
    ::close(moved[i].second);
  }
  return true;
}

/// Makes the child what `setup` says. Returns false, with errno set, if that fails. All signals are blocked before.
bool set_up(const ChildSetup& setup, pid_t parent, const sigset_t& mask) noexcept {
  if (setup.on_parent_end != 0) {
    prctl(PR_SET_PDEATHSIG, setup.on_parent_end);
    if (getppid() != parent) {  // the parent ended before prctl()
      _exit(128 + setup.on_parent_end);
    }
  }
  if (setup.limit > 0) {
    setpgid(0, 0);
  }
  reset_handlers();
  if (setup.ignores_interrupts) {
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
  }
  const bool placed = place_files(setup);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  return placed;
}

/// Becomes the program, or writes the reason why it can't to `failure`.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, const ChildSetup& setup, pid_t parent,
                         const sigset_t& mask, int failure) noexcept {
  const int report = moved_above(failure, setup);
  if (set_up(setup, parent, mask)) {
    execve(program, arguments, environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(report, &error, sizeof error);
  _exit(127);
}

pid_t start_program(const fs::path& program, std::vector<std::string>& arguments, std::vector<std::string>& environment,
                    const ChildSetup& setup, const sigset_t* mask) {
  assert(setup.files.size() <= max_files);
  Pipe failure = make_pipe();
  const std::vector<char*> words = process::pointers(arguments);
  const std::vector<char*> variables = process::pointers(environment);
  const pid_t parent = getpid();
  pid_t child = -1;
  int error = 0;
  {
    const BlockedSignals signals(all_signals());
    child = ::fork();
    if (child == 0) {
      become(program.c_str(), words.data(), variables.data(), setup, parent, mask != nullptr ? *mask : signals.before(),
             failure.write.get());
    }
    error = child < 0 ? errno : 0;
  }
  failure.write.close();
  if (child > 0) {
    const std::string told = read_to_end(failure.read.get()).value_or("");
    if (told.size() == sizeof error) {
      std::memcpy(&error, told.data(), sizeof error);
      ::waitpid(child, nullptr, 0);
    }
  }
  if (error != 0) {
    throw environment_error("can't start {}: {}", program.string(), std::strerror(error));
  }
  return child;
}

/// Returns whether a signal interrupts the user's operations, which must then count as interrupted, not failed.
bool ends_operations(int number) { return number == SIGINT || number == SIGTERM; }

/// Passes signals on until `child` ends, and returns its status. `interrupt` becomes the last signal that interrupts operations, if any
/// came. `used` becomes what the child used. A child with a limit leads a process group, which the terminal's signals don't reach.
int pass_signals_on(pid_t child, const ChildSetup& setup, int& interrupt, rusage& used) {
  using Clock = std::chrono::steady_clock;
  constexpr Seconds until_killed = 3;
  const auto after = [](Seconds seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<Seconds>(seconds));
  };
  const sigset_t awaited = awaited_signals();
  const bool leads_group = setup.limit > 0, is_limited = leads_group || setup.soft_limit > 0;
  const pid_t receiver = leads_group ? -child : child;
  Clock::time_point end = after(leads_group ? setup.limit : setup.soft_limit);
  int ending = leads_group ? SIGKILL : SIGTERM;
  int status = 0;
  while (::wait4(child, &status, WNOHANG, &used) == 0) {
    siginfo_t info{};
    if (is_limited && Clock::now() >= end) {
      ::kill(receiver, ending);
      ending = SIGKILL;
      end = after(until_killed);
    }
    constexpr std::int64_t per_second = 1'000'000'000;
    const std::int64_t left = std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now()).count(), 0);
    const timespec rest = {left / per_second, left % per_second};
    const int number = is_limited ? sigtimedwait(&awaited, &info, &rest) : sigwaitinfo(&awaited, &info);
    interrupt = number > 0 && ends_operations(number) ? number : interrupt;
    if (number > 0 && number != SIGCHLD && (leads_group || info.si_code != SI_KERNEL)) {
      ::kill(receiver, number);
    }
  }
  return status;
}

/// Delivers a signal to this process's own handler. Does nothing without a handler.
void deliver(int number) {
  struct sigaction action {};
  if (number != 0 && sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) {
    raise(number);
  }
}

}  // namespace

int ExitStatus::code() const noexcept { return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_); }

int ExitStatus::signal() const noexcept { return WIFSIGNALED(status_) ? WTERMSIG(status_) : 0; }

std::string to_string(const ExitStatus& status) {
  return status.signal() != 0 ? fmt::format("was ended by signal {} ({})", status.signal(), strsignal(status.signal()))
                              : fmt::format("ended with exit code {}", status.code());
}

std::string signal_behind(int exit_code) {
  constexpr int of_signals = 128;
  const int signal = exit_code - of_signals;
  return signal > 0 && signal < NSIG ? fmt::format("signal {} ({})", signal, strsignal(signal)) : std::string();
}

ChildProcess ChildProcess::start(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                                 const ChildSetup& setup) {
  return ChildProcess(start_program(program, arguments, environment, setup, nullptr));
}

ChildProcess ChildProcess::fork(const std::function<int()>& work, const ChildSetup& setup) {
  assert(setup.files.size() <= max_files);
  const pid_t parent = getpid();
  const BlockedSignals signals(all_signals());
  const pid_t child = ::fork();
  if (child < 0) {
    throw environment_error("can't start a child process: {}", std::strerror(errno));
  }
  if (child == 0) {
    int code = static_cast<int>(ExitCode::internal);
    if (set_up(setup, parent, signals.before())) {
      try {
        code = work();
      } catch (...) {
        code = static_cast<int>(ExitCode::internal);
      }
    }
    _exit(code);
  }
  return ChildProcess(child);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept : process_(std::exchange(other.process_, -1)) {}

ChildProcess::~ChildProcess() {
  if (is_running()) {
    end();
  }
}

void ChildProcess::send(int signal) const noexcept {
  if (is_running()) {
    ::kill(process_, signal);
  }
}

ExitStatus ChildProcess::wait() noexcept {
  assert(is_running());
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return ExitStatus(status);
}

std::optional<ExitStatus> ChildProcess::wait_for(Seconds limit) noexcept {
  assert(is_running());
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds max_pause(10);
  const std::chrono::duration<double> allowed(limit);
  const Clock::time_point begin = Clock::now();
  for (std::chrono::microseconds pause(100);; pause = std::min<std::chrono::microseconds>(2 * pause, max_pause)) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) > 0) {
      process_ = -1;
      return ExitStatus(status);
    }
    if (Clock::now() - begin >= allowed) {
      return std::nullopt;
    }
    std::this_thread::sleep_for(pause);
  }
}

ExitStatus ChildProcess::end() noexcept {
  send(SIGKILL);
  return wait();
}

ExitStatus run_in_foreground(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                             const ChildSetup& setup, ProcessUsage* usage) {
  int interrupt = 0;
  int status = 0;
  rusage used{};
  {
    const BlockedSignals signals(awaited_signals());
    const auto begin = std::chrono::steady_clock::now();
    ChildProcess child(start_program(program, arguments, environment, setup, &signals.before()));
    status = pass_signals_on(child.process_, setup, interrupt, used);
    child.process_ = -1;
    if (usage != nullptr) {
      const std::chrono::duration<Seconds> elapsed = std::chrono::steady_clock::now() - begin;
      const auto seconds = [](const timeval& time) {
        return static_cast<Seconds>(time.tv_sec) + 1e-6 * static_cast<Seconds>(time.tv_usec);
      };
      *usage = {elapsed.count(), seconds(used.ru_utime), seconds(used.ru_stime), 1024 * static_cast<std::int64_t>(used.ru_maxrss)};
    }
  }
  deliver(interrupt);
  return ExitStatus(status);
}

bool is_executable_file(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

std::string output_of(const fs::path& program, std::vector<std::string> arguments, std::vector<std::string> environment) {
  Pipe output = make_pipe();
  ChildSetup setup;
  setup.silent = true;
  setup.files = {{STDOUT_FILENO, output.write.get()}};
  try {
    ChildProcess child = ChildProcess::start(program, std::move(arguments), std::move(environment), setup);
    output.write.close();
    std::string text = read_to_end(output.read.get()).value_or("");
    child.wait();
    return text;
  } catch (const Error&) {
    return "";
  }
}

std::optional<fs::path> program_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_executable_file(candidate)) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace flopcast
