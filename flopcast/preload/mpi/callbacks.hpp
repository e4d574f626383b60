#pragma once

#include <mpi.h>

#include "flopcast/support/units.hpp"

/// The program's functions that MPI calls while the program is inside of MPI: operations of reductions, copies of attributes, error
/// handlers. Their computation is the program's and no communication.
namespace flopcast::preload::mpi {

/// The time of the program's own code that MPI calls. Does nothing where MPI isn't called by the thread that is traced, or within another
/// such time.
class ProgramCallback {
 public:
  ProgramCallback() noexcept;
  ProgramCallback(const ProgramCallback&) = delete;
  ProgramCallback& operator=(const ProgramCallback&) = delete;
  ~ProgramCallback();

 private:
  bool traced_ = false;
  Seconds entered_ = 0;
  Seconds called_ = 0;  ///< the time of the program's call of MPI
};

/// Returns whether the program has made `op`, so that executing it may compute as much as a kernel does.
bool is_own_operation(MPI_Op op) noexcept;

/// Returns `describe`, a description of a collective, such that the collective is never skipped if `op` is the program's own. Its
/// computation would be skipped with it.
template <class Describe>
auto with_operation(MPI_Op op, Describe describe) {
  return [=](const auto& channel) {
    auto described = describe(channel);
    if (is_own_operation(op)) {
      described.first.type = MPI_DATATYPE_NULL;
    }
    return described;
  };
}

}  // namespace flopcast::preload::mpi
