#pragma once

#include "flopcast/core/environment.hpp"
#include "flopcast/measure/backend.hpp"

namespace flopcast::measure {

struct TeamOptions {
  /// Calls are made for so long first: threads that have nothing to do go on spinning for a while (OpenBLAS's for 20 ms).
  Seconds settle = 0.1;
  Seconds duration = 0.005;  ///< of each of the few windows that are measured then, or one call
};

/// How many threads of the library work on `call` (whose `threads` it is allowed), on operands that are warm: CPU time of the process over
/// that of the calling thread, 1 where the library stays with one; the least of a few windows, as threads that go on spinning only add to
/// it. Other programs that use the cores bring it nearer to 1, as callers spin while they wait. Throws as Prepared does.
double team_size(const Call& call, const Environment& environment, const Backend& backend, const TeamOptions& options = {});

}  // namespace flopcast::measure
