#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/tasks/mpi/launch.hpp"

namespace flopcast::tests {

/// A launcher without processes: a function answers each execution with a profile, or with nothing if the program fails in it. Executions
/// take as long as their profiles say, and the one in which the limit is reached has no result.
class FakeLauncher : public MpiLauncher {
 public:
  using Program = std::function<std::optional<MpiProfile>(const MpiExecution&, const MpiKnownKernels& known)>;

  explicit FakeLauncher(Program program) : program_(std::move(program)) {}

  MpiLaunchResult launch(const std::vector<MpiExecution>& executions, const MpiKnownKernels& known, Seconds limit) override {
    MpiLaunchResult result;
    std::string made;
    for (std::size_t i = 0; i < std::min(executions.size(), max_executions) && !result.failed && !result.is_cut; ++i) {
      made += (made.empty() ? "" : ", ") + search::to_string(executions[i].parameters) + ' ' +
              std::string(selective::to_string(executions[i].policy));
      if (std::optional<MpiProfile> profile = program_(executions[i], known)) {
        result.seconds += profile->elapsed;
        result.is_cut = limit > 0 && result.seconds > limit;
        if (!result.is_cut) {
          result.profiles[i] = std::move(*profile);
        }
      } else {
        result.failed = i;
        result.exit_code = exit_code;
      }
    }
    result.cores_of_others = cores_of_others;
    launches.push_back(made);
    return result;
  }

  std::vector<std::string> launches;  ///< each launch's executions, as "nb=32 full, nb=64 local"
  std::size_t max_executions = 1000;  ///< limit of one launch
  double cores_of_others = 0;
  int exit_code = 3;  ///< that of a program that fails

 private:
  Program program_;
};

}  // namespace flopcast::tests
