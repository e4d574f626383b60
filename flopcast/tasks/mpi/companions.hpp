#pragma once

#include <sys/types.h>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace flopcast {

/// A process that mpirun started on this node, or one of its descendants, as /proc shows it.
struct NodeProcess {
  enum class TracingState : unsigned char {
    starting,  ///< neither of the others yet: a shell or a script
    traced,    ///< flopcast, or a process that flopcast started
    plain      ///< a process that has loaded MPI and wasn't started by flopcast
  };
  int rank = 0;
  pid_t process = 0;
  TracingState state = TracingState::starting;
  std::string program;
};

/// Names of the environment variables that tell a process its rank and the number of mpirun's processes on this node.
struct LauncherVariables {
  const char* rank;
  const char* local_size;
};

/// Returns the variables of the mpirun that started this process; nothing if no known mpirun did.
std::optional<LauncherVariables> launcher_variables();

/// Returns the processes of `self`'s mpirun, as far as `proc` (a folder such as /proc) lets this process read them.
std::vector<NodeProcess> processes_of_launcher(const std::filesystem::path& proc, pid_t self, const LauncherVariables& variables);

/// Returns a process of the program that runs without flopcast, once the state of all `local_size` processes is known. Returns nothing if
/// there is none, or if some processes haven't been seen after a while. `look` returns the processes there are now; `nap` passes time
/// between two looks.
std::optional<NodeProcess> process_without_flopcast(int local_size, const std::function<std::vector<NodeProcess>()>& look,
                                                    const std::function<void()>& nap);

/// Checks that flopcast traces all processes which mpirun started on this node. Traced processes exchange their paths, so that they
/// would wait forever for one that isn't traced. Throws environment_error naming such a process.
void require_all_traced();

/// Makes the exit of this process end the job with `exit_code` under MPICH's mpirun. That mpirun otherwise lets the other processes wait in
/// MPI_Init for a process that has ended. Other launchers end the job by themselves.
void end_job_at_exit(int exit_code);

}  // namespace flopcast
