#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/model/store.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast {

/// Times of a kernel in a document.
path::KernelStatistics statistics_of(const nlohmann::json& executed);
/// Those of a kernel in a profile that hold in the program: of executions among their neighbours, where others are told apart.
path::KernelStatistics telling_times(const nlohmann::json& kernel);

/// What is known of the kernels of MPI programs on this machine, whoever has run them: by what their times hold for (MPI, clock, number of
/// processes, BLAS) and their names.
class MpiKnownKernels {
 public:
  /// Adds what a run has learnt. A kernel whose mean is far from what is known (four standard deviations and a quarter) has drifted: the
  /// run's times take its place. What was learnt long ago weighs at most as much as a thousand executions. How many have drifted is
  /// returned.
  int add(const nlohmann::json& profile);
  /// From now on kernels occur along the path as often as in this profile, others never (policy a-priori).
  void count_along(const nlohmann::json& profile);
  /// As a profile without costs.
  [[nodiscard]] nlohmann::json document() const;

 private:
  std::map<std::pair<std::string, std::string>, nlohmann::json> kernels_;
};

/// Of this machine in the store; empty if there are none.
MpiKnownKernels stored_mpi_kernels(const model::Store& store);
/// Adds a run to what the store has by now, which other launches may have added to. How many kernels have drifted is returned.
int store_mpi_kernels(model::Store& store, const nlohmann::json& profile);

}  // namespace flopcast
