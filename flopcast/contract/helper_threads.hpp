#pragma once

#include <cstddef>
#include <functional>

namespace flopcast::contract {

/// Runs work(0) in the caller's thread and work(1), ..., work(count - 1) in others, and waits for all. A `work` that throws ends the program.
/// Of those for which the system refuses a thread `refused` is called with their number, before work(0) begins, and nothing else.
///
/// The threads are kept for the next time, as starting one, on a core that has gone to sleep, may take as long as a small contraction: for
/// some hundred microseconds they look out for more, then they sleep. They work on the CPUs and with the rounding and underflow modes of
/// their caller. One caller at a time has them, and no more of them than there are CPUs; others get threads of their own. A forked child
/// has none, and starts some when it needs them.
void run_with_helpers(std::size_t count, const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& refused);

}  // namespace flopcast::contract
