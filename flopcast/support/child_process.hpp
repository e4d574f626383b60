#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/support/units.hpp"

/// Processes that this process starts: programs, and copies of itself that run a function.
namespace flopcast {

/// How a process ended.
class ExitStatus {
 public:
  /// Takes the status of waitpid().
  explicit ExitStatus(int status) noexcept : status_(status) {}
  /// Returns the process's exit code, or 128 plus the number of the signal that ended it, as a shell does.
  [[nodiscard]] int code() const noexcept;
  /// Returns the signal that ended the process, 0 if none did.
  [[nodiscard]] int signal() const noexcept;

 private:
  int status_;
};

/// Returns "ended with exit code 3" or "was ended by signal 11 (Segmentation fault)".
[[nodiscard]] std::string to_string(const ExitStatus& status);

/// Returns "signal 11 (Segmentation fault)" for 139, a shell's exit code of a program that this signal ended; empty for other exit codes.
[[nodiscard]] std::string signal_behind(int exit_code);

/// Settings of a child process. As after exec, signals for which this process has a handler have their default effect in
/// the child, and signals that it ignores are ignored there.
struct ChildSetup {
  /// Open files, 8 at most, by their number in the child. The values are their numbers here, and may have the close-on-exec flag.
  std::map<int, int> files;
  bool silent = false;  ///< standard output and standard error go to /dev/null, unless `files` names them
  bool ignores_interrupts =
      false;  ///< Ctrl-C and SIGTERM, which reach the whole process group, have no effect: this process ends the child
  /// Time after which run_in_foreground() ends the child by SIGKILL, with all processes of its group, which is one of its own; 0: never.
  Seconds limit = 0;
  /// Time after which run_in_foreground() asks the child to end by SIGTERM, and by SIGKILL 3 s later. The child stays in the group of this
  /// process. 0: never.
  Seconds soft_limit = 0;
  int on_parent_end = 0;  ///< signal that the child gets when the thread that started it ends, even by SIGKILL; 0 for none
};

/// Resources that a process and its children that it waited for have used.
struct ProcessUsage {
  Seconds elapsed = 0;  ///< the time from the call that starts the process to its end
  Seconds user = 0, system = 0;
  std::int64_t peak_resident_bytes = 0;  ///< at least what this process had when it started the program
};

/// A child process, which is ended by SIGKILL with this object unless it was waited for.
class ChildProcess {
 public:
  /// Starts the program in the file `program`. The first of `arguments` is the program's name for itself; `environment` is a list of
  /// NAME=value. Throws environment_error if the program can't be started.
  static ChildProcess start(const std::filesystem::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                            const ChildSetup& setup = {});
  /// Runs `work` in a copy of this process, whose exit code is the result of `work`, or 70 if it throws. The copy ends without running what
  /// this process has registered for its end. Only the calling thread exists in the copy. Throws environment_error.
  static ChildProcess fork(const std::function<int()>& work, const ChildSetup& setup = {});

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  /// Returns false once the process was waited for.
  [[nodiscard]] bool is_running() const noexcept { return process_ > 0; }
  /// Sends a signal, unless the process was waited for.
  void send(int signal) const noexcept;
  /// Waits for the process's end. It must not have been waited for.
  ExitStatus wait() noexcept;
  /// Waits for the process's end, for `limit` seconds at most. Returns nothing if the process goes on.
  std::optional<ExitStatus> wait_for(Seconds limit) noexcept;
  /// Ends the process by SIGKILL.
  ExitStatus end() noexcept;

 private:
  friend ExitStatus run_in_foreground(const std::filesystem::path&, std::vector<std::string>, std::vector<std::string>, const ChildSetup&,
                                      ProcessUsage*);
  explicit ChildProcess(pid_t process) noexcept : process_(process) {}

  pid_t process_;
};

/// Starts a program as ChildProcess::start() does, passes signals on to it and waits for its end. Signals of the terminal reach the program
/// directly, because it belongs to the same foreground group. After its end, Ctrl-C or SIGTERM that came meanwhile is delivered to this
/// process's own handler, if there is one. Writes what the program used to `usage`, if that is given.
ExitStatus run_in_foreground(const std::filesystem::path& program, std::vector<std::string> arguments, std::vector<std::string> environment,
                             const ChildSetup& setup = {}, ProcessUsage* usage = nullptr);

/// Runs a program and returns its standard output; an empty text if it can't be started.
std::string output_of(const std::filesystem::path& program, std::vector<std::string> arguments, std::vector<std::string> environment);

/// Returns the executable file that PATH finds for `name`, nothing if there is none.
std::optional<std::filesystem::path> program_in_path(const std::string& name);

/// Returns whether `file` is a regular file that this process may execute.
bool is_executable_file(const std::filesystem::path& file);

}  // namespace flopcast
