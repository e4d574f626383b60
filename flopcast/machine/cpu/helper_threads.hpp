#pragma once

#include <cstddef>
#include <functional>

namespace flopcast::machine {

/// Runs work(0) in the caller's thread and work(1), ..., work(count - 1) in other threads, and waits for all. If the system refuses a
/// thread, `refused` is called with its number before work(0) begins, and that work isn't done. With `count` > 1 an exception in `work`
/// ends the program; otherwise the exception reaches the caller.
///
/// The threads are kept for later calls, because starting one on a sleeping core may take as long as a small contraction. They spin for
/// some hundred microseconds, then sleep. They take over the caller's CPU affinity, rounding mode and underflow mode. Only one caller at a
/// time can use them, for at most as many threads as there are CPUs (or two); other callers get new threads. A forked child has no helper
/// threads and starts some when needed.
void run_with_helpers(std::size_t count, const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& refused);

/// Runs work whose parts are taken from a common pile, in the caller's thread and in helper threads. When work(0) returns, the pile is empty, so
/// that threads that haven't begun by then are called off. Waiting for those could take as long as another program keeps their core.
void share_with_helpers(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace flopcast::machine
