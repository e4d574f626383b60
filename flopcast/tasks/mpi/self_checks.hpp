#pragma once

#include <string>

#include "flopcast/model/store.hpp"
#include "flopcast/tasks/mpi/space.hpp"

namespace flopcast {

/// Remembers in the store that a program has made the same MPI calls with kernels left out as in full: it need not be executed in full at
/// every tuning to see that again. Another program file, another flopcast or other options are looked at anew, and now and then all are.
class MpiSelfChecks {
 public:
  /// `options`: those that decide what is left out.
  MpiSelfChecks(model::Store& store, const MpiSpace& space, const std::string& options);

  /// Whether the program has passed, and not too many tunings ago. Says nothing else of it.
  [[nodiscard]] bool has_passed() const;
  /// A tuning went by that.
  void count_tuning();
  /// It was looked at, and passed or not.
  void note(bool passed);

 private:
  model::Store& store_;
  std::string name_;      ///< of the program with its options
  std::string identity_;  ///< of the files that it depends on
};

}  // namespace flopcast
