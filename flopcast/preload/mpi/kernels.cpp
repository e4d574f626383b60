#include <cstdint>
#include <optional>
#include <utility>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/preload/common/fortran_call.hpp"
#include "flopcast/preload/common/intercept.hpp"
#include "flopcast/preload/common/intercepted_calls.hpp"
#include "flopcast/preload/common/own_stack.hpp"
#include "flopcast/preload/kernels/routine_digest.hpp"
#include "flopcast/preload/kernels/skipped_data.hpp"
#include "flopcast/preload/mpi/callbacks.hpp"
#include "flopcast/preload/mpi/session.hpp"

/// Intercepts BLAS and LAPACK in MPI programs: the outermost calls of the thread that called MPI_Init are kernels.
namespace flopcast::preload {
namespace {

thread_local int depth = 0;  ///< kernels that this thread is in
thread_local std::uint32_t number = 0;
thread_local Seconds started = 0;
thread_local selective::Cause cause = selective::Cause::always;
thread_local mpi::DampedUpdate damped;
thread_local mpi::DenormalsAsZero denormals;
thread_local std::optional<Call> unsafe;                    ///< a call with data that aren't the program's
thread_local std::optional<mpi::ProgramCallback> callback;  ///< the call comes from the program's code that MPI called
thread_local bool is_callback = false;                      ///< `callback` is set. Looking at that itself takes more of the caller's stack.

/// Returns the call that the program makes. Determining the width of its integers calls a function of the library, which doesn't count as a
/// kernel.
Call program_call(std::size_t routine, std::span<void* const> pointers, Redirected* trampoline, const void* caller) {
  ++depth;
  const int integer_bytes = integer_bytes_of_call(routine, trampoline, caller);
  --depth;
  return call_of(kernel::catalogue()[routine], pointers, integer_bytes);
}

/// Returns whether a call of this thread is a kernel, and isn't part of another one.
bool is_kernel_of(mpi::TracingSession& all) noexcept {
  return depth == 0 && all.ledger.measures() && !all.ledger.region().is_open() && (all.gate.traces_program() || all.gate.is_inside_mpi());
}

/// Skips a call, whose kernel is `number`. Returns the function value that the program gets.
auto skip_call(mpi::TracingSession& all, const Call& call) {
  const auto value = kernel::skip(call).value;
  mpi::clean_outputs(call);
  all.ledger.skipped(number);
  return value;
}

/// Prepares a call with data that aren't the program's, so that the call takes as long as in the program.
void make_operands_safe(Call call, std::span<void* const> pointers) {
  unsafe = std::move(call);
  // Examining the operands of a kernel of half a microsecond takes longer than the kernel, and is skipped unless the routine could fail.
  if (cause != selective::Cause::brief || mpi::can_fail(*unsafe->routine)) {
    mpi::make_safe(*unsafe);
  }
  damped.apply(*unsafe, pointers);
  denormals.begin();
}

}  // namespace

Interception::Interception(std::size_t routine, const void* caller, std::span<void* const> pointers) noexcept
    : routine_(routine), caller_(caller), trampoline_(entered()), pointers_(pointers) {
  mpi::TracingSession* all = mpi::session();
  if (all == nullptr || !is_kernel_of(*all)) {
    return;
  }
  on_own_stack([this, all] {
    if (!all->gate.traces_program()) {
      callback.emplace();
      is_callback = true;
    }
    const mpi::RoutineDigest& digest = mpi::routine_digests()[routine_];
    if (digest.is_workspace_query(pointers_)) {
      return;
    }
    const auto turn = all->gate.try_turn();
    if (!turn) {
      return;  // beside another thread's communication: unnamed time of the program
    }
    all->ledger.leave_program();
    number = all->kernels.table.number(digest.key_of(pointers_));
    if (selective::KernelRecord& kernel = all->kernels.table[number]; !kernel.is_met()) {
      kernel.flops = flops(program_call(routine_, pointers_, trampoline_, caller_));
    }
    handling_ = digest.decides() || all->ledger.wants_execution(number) ? Handling::observed : Handling::skipped;
    cause = digest.decides() ? selective::Cause::always : all->kernels.decisions.cause();
    if (handling_ == Handling::skipped) {
      skipped_value_ = skip_call(*all, program_call(routine_, pointers_, trampoline_, caller_));
      return;
    }
    if (all->skipping.has_skipped()) {
      make_operands_safe(program_call(routine_, pointers_, trampoline_, caller_), pointers_);
    }
    ++depth;
  });
  if (handling_ == Handling::observed) {
    started = all->clock.now();
  }
}

Interception::~Interception() {
  mpi::TracingSession* all = mpi::session();
  if (handling_ == Handling::observed) {
    const Seconds seconds = all->clock.now() - started;
    denormals.end();
    --depth;
    on_own_stack([all, seconds] {
      if (unsafe) {
        mpi::clean_solution(*unsafe);
        unsafe.reset();
      }
      if (const auto turn = all->gate.try_turn()) {
        all->ledger.executed(number, cause, started, seconds);
      }
    });
  }
  if (depth == 0 && is_callback) {
    on_own_stack([] { callback.reset(); });
    is_callback = false;
  }
}

void* Interception::next() const noexcept { return definition_of_call(routine_, trampoline_, caller_); }

}  // namespace flopcast::preload
