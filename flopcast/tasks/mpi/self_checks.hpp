#pragma once

#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/tasks/mpi/tuning.hpp"

namespace flopcast {

/// Remembers in the store which programs made the same MPI calls with kernels skipped as in full. Such a program needn't be executed in
/// full in every tuning. The check is made anew for another program file, another flopcast, other options, and after ten tunings.
class MpiSelfChecks {
 public:
  /// `options` is a text with the options that decide which kernels are skipped.
  MpiSelfChecks(model::Store& store, const search::ParameterSpace& space, const std::string& options);

  /// Returns whether the program has passed, in one of the last ten tunings.
  [[nodiscard]] bool has_passed() const;
  /// Counts a tuning that relied on an earlier check.
  void count_tuning();
  /// Keeps the result of a check.
  void note(bool passed);

 private:
  model::Store& store_;
  std::string name_;      ///< command line with the options
  std::string identity_;  ///< state of the files that the result depends on
};

}  // namespace flopcast
