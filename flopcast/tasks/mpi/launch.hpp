#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/selective/execution_policy.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/known_kernels.hpp"
#include "flopcast/tasks/mpi/space.hpp"

namespace flopcast {

/// How the program of a launch is followed.
struct MpiFollowing {
  path::Precision precision;
  bool across_sizes = true;
  bool windows = true;
  bool thread_multiple = true;
  std::string patience, kernels;  ///< as the options of these names have them
  bool full_teaches = true;       ///< what executions in full show of kernels' times is used for the others
};

/// What came of a launch, by the numbers of the executions that it was asked for.
struct MpiLaunchResult {
  std::map<std::size_t, nlohmann::json> profiles;
  std::optional<std::size_t> failed;  ///< with which the program ended before it was done, or with an error; it has no profile
  Seconds seconds = 0;
};

/// Starts a program of a space for some of its configurations: the program does those of them that it can in one launch.
class MpiLaunch {
 public:
  struct Execution {
    MpiSetting setting;
    std::string policy;
  };

  explicit MpiLaunch(const MpiSpace& space);
  MpiLaunch(const MpiLaunch&) = delete;
  MpiLaunch& operator=(const MpiLaunch&) = delete;

  /// The first of `executions` is made, and of the others as many as the program can: it asks for values by name (MpiExecutions). If the first
  /// is one in full and there are others, it is made twice and the second one counts, since what uses memory and libraries for the first
  /// time takes longer. What is known of kernels is `known`.
  [[nodiscard]] MpiLaunchResult run(const std::vector<Execution>& executions, const MpiKnownKernels& known,
                                    const MpiFollowing& following) const;

 private:
  [[nodiscard]] std::string file(const char* name) const { return folder_.file(name); }
  [[nodiscard]] std::vector<std::string> words(const MpiSetting& setting, const MpiFollowing& following) const;
  /// Numbers of those that differ from the first only in values that can be asked for.
  [[nodiscard]] std::vector<std::size_t> together(const std::vector<Execution>& executions) const;

  const MpiSpace& space_;
  std::set<std::string> by_name_;  ///< parameters that a program may ask for
  ScratchFolder folder_;
};

}  // namespace flopcast
