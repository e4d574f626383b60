#include "flopcast/preload/mpi/call_gate.hpp"

namespace flopcast::preload::mpi {
namespace {

thread_local bool main_thread = false;  ///< this thread called MPI_Init
thread_local int depth = 0;             ///< intercepted functions that this thread is in
thread_local bool in_callback = false;  ///< the innermost of these has called the program's code

}  // namespace

void CallGate::open() noexcept {
  main_thread = true;
  open_ = true;
}

bool CallGate::is_main_thread() noexcept { return main_thread; }

bool CallGate::follows_program() const noexcept { return follows_this_thread() && (depth == 0 || in_callback); }

bool CallGate::is_inside_mpi() const noexcept { return follows_this_thread() && depth > 0 && !in_callback; }

void CallGate::enter_callback() noexcept { in_callback = true; }

void CallGate::leave_callback() noexcept { in_callback = false; }

bool CallGate::enter_function() noexcept { return depth++ == 0; }

void CallGate::leave_function() noexcept { --depth; }

}  // namespace flopcast::preload::mpi
