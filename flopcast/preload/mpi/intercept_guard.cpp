#include "flopcast/preload/mpi/session.hpp"

namespace flopcast::preload::mpi {
namespace {

/// Notes that the program has called MPI from `site`. Returns false if the call isn't traced, because another thread is in one.
bool enter_call(TracingSession& all, const void* site) noexcept {
  SessionClock& clock = all.clock;
  if (!CallGate::is_main_thread() && all.gate.succeed_main_thread()) {
    clock.return_to_program();
  }
  if (!all.gate.take_for_call()) {
    return false;
  }
  if (CallGate::is_main_thread()) {
    all.ledger.leave_program();
    const Seconds wall = clock.wall_of_call();
    if (all.core_time.enter_mpi(wall)) {
      clock.exclude_since(clock.called(), clock.called());
    }
    all.ledger.waits().enter(wall, site);
  } else {
    clock.stop_estimating();
    clock.enter_library();
  }
  return true;
}

void leave_call(TracingSession& all) noexcept {
  SessionClock& clock = all.clock;
  const bool own = CallGate::is_main_thread();
  own ? clock.end_call() : clock.end_call_of_other_thread();
  if (const Seconds wall = clock.wall_of_return(); own) {
    if (all.ledger.measures() && clock.is_cpu_time()) {
      all.ledger.waits().add_until(wall);
    }
    if (all.core_time.leave_mpi(wall)) {
      clock.return_to_program();
    }
  }
  all.ledger.end_call(own);
  all.gate.give_back();
}

}  // namespace

InterceptGuard::InterceptGuard(const void* site) noexcept {
  TracingSession* all = session();
  traced_ = all != nullptr && CallGate::enter_function() && all->gate.is_open() && enter_call(*all, site);
}

InterceptGuard::~InterceptGuard() {
  TracingSession* all = session();
  if (all == nullptr) {
    return;
  }
  CallGate::leave_function();
  if (traced_) {
    leave_call(*all);
  }
}

}  // namespace flopcast::preload::mpi
