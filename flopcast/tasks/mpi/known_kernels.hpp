#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "flopcast/model/store.hpp"
#include "flopcast/protocol/mpi_profile.hpp"
#include "flopcast/selective/kernel_table.hpp"

namespace flopcast {

/// Times of MPI programs' kernels on this machine, from all runs. A kernel is known by the place for which its times hold (MPI, clock,
/// number of processes, BLAS) and by its name.
class MpiKnownKernels {
 public:
  /// Adds the times of a run, and returns the number of kernels that have drifted. A kernel has drifted if its mean differs from the known
  /// one by more than four standard deviations and a quarter: the run's times then replace the known ones. Known times weigh at most as
  /// much as a thousand executions. Times of executions among skipped kernels aren't added, because they hold for their own run only.
  int add(const MpiKernelList& list);
  int add(const MpiProfile& profile) { return add({profile.where, profile.policy, profile.kernels}); }
  /// Sets how often each kernel occurs along the path: as in `profile`, and never if it isn't there (policy a-priori).
  void set_path_counts(const MpiProfile& profile);
  /// Returns all kernels; each has its own place.
  [[nodiscard]] MpiKernelList list() const;

 private:
  std::map<std::pair<std::string, std::string>, MpiKernel> kernels_;
};

/// The kernels that a store has for this machine. They are read when they are first asked for, and again where another process has changed
/// the store meanwhile: there are megabytes of them.
class StoredMpiKernels {
 public:
  explicit StoredMpiKernels(model::Store& store) : store_(store) {}
  /// Returns the kernels that the store has by now; none if it has none.
  const MpiKnownKernels& read();
  /// Adds those of a run to them. Returns the number of kernels that have drifted.
  int add(const MpiKernelList& list);

 private:
  model::Store& store_;
  MpiKnownKernels kernels_;
  std::optional<std::int64_t> version_;  ///< the store's version when it was read
};

}  // namespace flopcast
