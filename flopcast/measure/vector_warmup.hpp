#pragma once

#include <optional>

#include "flopcast/kernel/invoke.hpp"
#include "flopcast/measure/memory.hpp"
#include "flopcast/measure/session_services.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::measure {

/// Wakes the vector units. CPUs switch off the upper parts of unused vector units after a while and run them slowly until they are awake
/// again, some 20 us later. Bringing memory into its state is such a pause; programs that call one kernel after another have none.
class VectorWarmup {
 public:
  /// Finds the library's dgemm; without dgemm, wake() does nothing.
  VectorWarmup(const SessionServices& services, std::uint64_t seed);

  /// Executes a small dgemm, which leaves most of L1 alone, for as long as waking takes.
  void wake(const Timer& timer);

 private:
  Memory memory_;
  std::optional<kernel::Invocation> invocation_;
};

}  // namespace flopcast::measure
