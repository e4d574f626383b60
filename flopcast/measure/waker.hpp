#pragma once

#include <optional>

#include "flopcast/core/units.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/backend.hpp"
#include "flopcast/measure/memory.hpp"

namespace flopcast::measure {

/// CPUs switch off the upper parts of their vector units after a while without use and run them slowly until they are awake again, which
/// takes some 20 us. Bringing memory into its state is such a while; programs that call one kernel after another have none.
class Waker {
 public:
  /// Finds the library's dgemm; without one it does nothing.
  Waker(const Backend& backend, std::uint64_t seed);

  /// Runs a dgemm on a few numbers, which leaves most of L1 alone, for as long as waking takes.
  void wake(const Timer& timer);

 private:
  Memory memory_;
  std::optional<kernel::Invocation> invocation_;
};

}  // namespace flopcast::measure
