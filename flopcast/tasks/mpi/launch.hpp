#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast {

using protocol::MpiExecution;

/// Outcome of a launch, by the numbers of the executions that it was asked for.
struct MpiLaunchResult {
  std::map<std::size_t, MpiProfile> profiles;
  std::optional<std::size_t> failed;  ///< execution in which the program ended early or with an error; it has no profile
  int exit_code = 0;                  ///< the launcher's, 128 plus the signal that ended it
  bool is_cut = false;                ///< the launch was ended at its limit, before all executions were made
  Seconds seconds = 0;                ///< wall time of the launch
  double cores_of_others = 0;         ///< cores that other programs kept busy meanwhile; 0 if the system doesn't tell
};

/// Starts a program for some of its configurations.
class MpiLauncher {
 public:
  MpiLauncher() = default;
  MpiLauncher(const MpiLauncher&) = delete;
  MpiLauncher& operator=(const MpiLauncher&) = delete;
  virtual ~MpiLauncher() = default;

  /// Makes the first of `executions`, which aren't empty, and as many of the others as the program can go on with. `known` are the kernel
  /// times that needn't be measured again. A launch that isn't over after `limit` seconds is ended; 0: never.
  virtual MpiLaunchResult launch(const std::vector<MpiExecution>& executions, const MpiKnownKernels& known, Seconds limit) = 0;
};

/// Starts a space's program by its launcher, each process under `flopcast mpi run`.
class ProgramLauncher : public MpiLauncher {
 public:
  /// Throws environment_error if there is no folder for temporary files, or the program flopcast isn't found.
  explicit ProgramLauncher(const MpiTuneRequest& request);

  /// The program can go on with executions that differ in values which it reads by name (flopcast_parameter). If the first execution is one
  /// in full and there are others, it is made twice and the second one counts, because first uses of memory and libraries take longer.
  MpiLaunchResult launch(const std::vector<MpiExecution>& executions, const MpiKnownKernels& known, Seconds limit) override;

 private:
  [[nodiscard]] std::string file(const char* name) const { return folder_.file(name); }

  search::ParameterSpace space_;
  ScratchFolder folder_;
  std::vector<std::string> words_;  ///< the launcher and `flopcast mpi run`, before the program's own words
};

/// Returns the words that start `flopcast mpi run` with these settings, without the command.
[[nodiscard]] std::vector<std::string> words_of_run(MpiRunRequest run);

/// Returns the numbers of those of `executions` that differ from the first one only in values which a program can read by name. A value can
/// be read by name if it is a word of its own in the command, in one place, and not that of an option with another name.
[[nodiscard]] std::vector<std::size_t> executions_of_one_launch(const search::ParameterSpace& space,
                                                                const std::vector<MpiExecution>& executions);

}  // namespace flopcast
