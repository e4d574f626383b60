#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/interpose/preloaded/fortran_call.hpp"
#include "flopcast/interpose/preloaded/intercept.hpp"
#include "flopcast/interpose/preloaded/library_width.hpp"
#include "flopcast/interpose/preloaded/mpi/routine_digest.hpp"
#include "flopcast/interpose/preloaded/mpi/session.hpp"
#include "flopcast/interpose/preloaded/mpi/skipped_data.hpp"
#include "flopcast/interpose/preloaded/next_symbol.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"

/// BLAS and LAPACK in MPI programs: the outermost calls of the thread that called MPI_Init are kernels.
namespace flopcast::interpose {
namespace {

thread_local int depth = 0;  ///< kernels that this thread is in
thread_local std::uint32_t number = 0;
thread_local Seconds started = 0;
thread_local path::Cause cause = path::Cause::always;
thread_local mpi::DampedUpdate damped;
thread_local mpi::DenormalsAsZero denormals;
thread_local std::optional<Call> unsafe;  ///< a call with data that aren't the program's

std::vector<std::atomic<void*>>& definitions() {
  static std::vector<std::atomic<void*>> all(kernel::catalogue().size());
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
  mpi::Session* all = mpi::session();
  if (all == nullptr || depth > 0 || !all->follows_program() || !all->measures() || all->is_in_region()) {
    return;
  }
  const mpi::RoutineDigest& digest = mpi::routine_digests()[routine];
  if (digest.asks_for_work_size(pointers)) {
    return;
  }
  const auto turn = all->turn_at_once();
  if (!turn) {
    return;  // beside another thread's communication: time of the program without a name
  }
  all->leave_program();
  number = all->kernels().number(digest.key_of(pointers));
  if (path::Kernel& kernel = all->kernels()[number]; !kernel.is_met()) {
    kernel.flops = flops(call_of(kernel::catalogue()[routine], pointers, integer_bytes(routine, caller)));
  }
  part_ = digest.decides() || all->wants_execution(number) ? Part::observed : Part::skipped;
  cause = digest.decides() ? path::Cause::always : all->cause();
  if (part_ == Part::skipped) {
    const Call call = call_of(kernel::catalogue()[routine], pointers, integer_bytes(routine, caller));
    skipped_value_ = kernel::skip(call).value;
    mpi::settle_outputs(call);
    all->note_left_out();
    all->computed(number, all->estimate(number), false);
    all->return_to_program();
    all->note_time_of_leaving_out();
    return;
  }
  if (all->has_skipped()) {
    unsafe = call_of(kernel::catalogue()[routine], pointers, integer_bytes(routine, caller));
    // looking at the operands of one of half a microsecond takes longer than it, whatever they hold; but it mustn't make the program give up
    if (cause != path::Cause::brief || mpi::can_fail(*unsafe->routine)) {
      mpi::make_safe(*unsafe);
    }
    damped.apply(*unsafe, pointers);
    denormals.begin();
  }
  ++depth;
  started = all->now();
}

Interception::~Interception() {
  if (part_ == Part::observed) {
    mpi::Session* all = mpi::session();
    const Seconds seconds = all->now() - started;
    denormals.end();
    --depth;
    if (unsafe) {
      mpi::settle_solution(*unsafe);
      unsafe.reset();
    }
    if (const auto turn = all->turn_at_once()) {
      all->note_executed(cause, started, seconds);
      all->computed(number, seconds, true);
      all->return_to_program();
    }
  }
}

void* Interception::next() const noexcept {
  std::atomic<void*>& slot = definitions()[routine_];
  void* found = slot.load(std::memory_order_relaxed);
  return found != nullptr ? found : required_symbol(slot, (kernel::catalogue()[routine_].name + "_").c_str(), caller_);
}

}  // namespace flopcast::interpose
