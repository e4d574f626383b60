#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/preload/common/fortran_call.hpp"
#include "flopcast/preload/common/intercept.hpp"
#include "flopcast/preload/common/intercepted_calls.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/preload/kernels/routine_digest.hpp"
#include "flopcast/preload/kernels/skipped_data.hpp"
#include "flopcast/preload/smpi/simulation.hpp"

/// Intercepts BLAS and LAPACK in simulated programs. The outermost calls are kernels, which take the models' time and are skipped, except
/// those whose results may steer the program.
namespace flopcast::preload {

Interception::Interception(std::size_t routine, const void* caller, std::span<void* const> pointers) noexcept
    : routine_(routine), caller_(caller), trampoline_(entered()), pointers_(pointers) {
  on_own_stack([this] {
    const mpi::RoutineDigest& digest = mpi::routine_digests()[routine_];
    if (digest.is_workspace_query(pointers_)) {
      return;
    }
    smpi::SmpiProcess* process = smpi::enter_kernel();
    if (process == nullptr) {
      return;
    }
    const Call call = call_of(kernel::catalogue()[routine_], pointers_, integer_bytes_of_call(routine_, trampoline_, caller_));
    process->executing = smpi::simulation()->computation_kernel(call, routine_);
    handling_ = digest.decides() ? Handling::observed : Handling::skipped;
    if (handling_ == Handling::observed) {
      if (mpi::can_fail(*call.routine)) {  // it would fail on data that were never computed
        mpi::make_safe(call);
      }
      return;
    }
    skipped_value_ = kernel::skip(call).value;
    smpi::simulation()->use_first(*process, call);
    smpi::simulation()->compute(*process, process->executing);
    leave_kernel(*process);
  });
}

Interception::~Interception() {
  if (handling_ == Handling::observed) {
    on_own_stack([] {
      smpi::SmpiProcess* process = smpi::simulation()->current();
      smpi::simulation()->compute(*process, process->executing);
      leave_kernel(*process);
    });
  }
}

void* Interception::next() const noexcept { return definition_of_call(routine_, trampoline_, caller_); }

}  // namespace flopcast::preload
