#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/interpose/preloaded/fortran_call.hpp"
#include "flopcast/interpose/preloaded/intercept.hpp"
#include "flopcast/interpose/preloaded/library_width.hpp"
#include "flopcast/interpose/preloaded/mpi/routine_digest.hpp"
#include "flopcast/interpose/preloaded/mpi/skipped_data.hpp"
#include "flopcast/interpose/preloaded/next_symbol.hpp"
#include "flopcast/interpose/preloaded/smpi/simulation.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"

/// BLAS and LAPACK in simulated programs: the outermost calls are kernels. They take the time that models say and are left out, but for
/// those that a program may decide by.
namespace flopcast::interpose {
namespace {

std::vector<void*>& definitions() {
  static std::vector<void*> all(kernel::catalogue().size());
  return all;
}

/// Bytes of the integers of the library that `caller`'s calls of the routine reach, found out once; the usual ones if none has the routine in
/// Fortran.
int integer_bytes(std::size_t routine, const void* caller) noexcept {
  static std::vector<std::atomic<std::uint8_t>> known(kernel::catalogue().size());
  std::uint8_t bytes = known[routine].load(std::memory_order_relaxed);
  if (bytes == 0) {
    const std::string symbol = kernel::catalogue()[routine].name + "_";
    const void* definition = next_symbol(symbol.c_str(), caller);
    bytes = static_cast<std::uint8_t>(definition != nullptr ? integer_bytes_at(definition, routine_symbol(symbol)) : 4);
    known[routine].store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

}  // namespace

Interception::Interception(std::size_t routine, const void* caller, std::span<void* const> pointers) noexcept
    : routine_(routine), caller_(caller), pointers_(pointers) {
  const mpi::RoutineDigest& digest = mpi::routine_digests()[routine];
  if (digest.asks_for_work_size(pointers)) {
    return;
  }
  smpi::Process* process = smpi::enter_kernel();
  if (process == nullptr) {
    return;
  }
  const Call call = call_of(kernel::catalogue()[routine], pointers, integer_bytes(routine, caller));
  process->executing = smpi::simulation()->computation_kernel(call, routine);
  part_ = digest.decides() ? Part::observed : Part::skipped;
  if (part_ == Part::observed) {
    if (mpi::can_fail(*call.routine)) {  // and would, on data that were never computed
      mpi::make_safe(call);
    }
    return;
  }
  skipped_value_ = kernel::skip(call).value;
  smpi::simulation()->use_first(*process, call);
  smpi::simulation()->compute(*process, process->executing);
  leave_kernel(*process);
}

Interception::~Interception() {
  if (part_ == Part::observed) {
    smpi::Process* process = smpi::simulation()->current();
    smpi::simulation()->compute(*process, process->executing);
    leave_kernel(*process);
  }
}

void* Interception::next() const noexcept {
  void*& slot = definitions()[routine_];
  if (slot == nullptr) {
    slot = required_symbol((kernel::catalogue()[routine_].name + "_").c_str(), caller_);
  }
  return slot;
}

}  // namespace flopcast::interpose
