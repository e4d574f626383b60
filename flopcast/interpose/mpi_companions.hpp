#pragma once

#include <sys/types.h>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace flopcast::interpose {

/// A process that mpirun has started on this node, or one that came of it, as /proc shows it.
struct NodeProcess {
  enum class State : unsigned char {
    starting,  ///< neither of the others yet: a shell, a script
    followed,  ///< flopcast, or a process that flopcast has started
    plain      ///< it has loaded MPI, and flopcast isn't around it
  };
  int rank = 0;
  pid_t process = 0;
  State state = State::starting;
  std::string program;
};

/// How mpirun tells a process its rank and how many of its processes are on this node: names of environment variables.
struct LauncherVariables {
  const char* rank;
  const char* local_size;
};

/// Those of the mpirun that has started this process; nothing if none of those known has.
std::optional<LauncherVariables> launcher_variables();

/// The processes of the same mpirun as process `self` that `proc` (as /proc) shows and lets look into.
std::vector<NodeProcess> processes_of_launcher(const std::filesystem::path& proc, pid_t self, const LauncherVariables& variables);

/// A process of the program that runs without flopcast around it, waiting until all `local_size` of them can be told; nothing if there is
/// none, or if some haven't been seen after a while. `look` returns what there is now, `nap` passes time between two looks.
std::optional<NodeProcess> process_without_flopcast(int local_size, const std::function<std::vector<NodeProcess>()>& look,
                                                    const std::function<void()>& nap);

/// Checks that all processes which mpirun has started on this node are followed: each of them tells the others its path, so that one that
/// isn't would be waited for forever. Throws environment_error that names it.
void require_all_followed();

/// MPICH's mpirun lets the other processes wait in MPI_Init for one that ends before: when this process exits, they are ended with
/// `exit_code`. Other launchers do that by themselves.
void end_job_at_exit(int exit_code);

}  // namespace flopcast::interpose
