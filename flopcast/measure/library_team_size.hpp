#pragma once

#include "flopcast/core/environment.hpp"
#include "flopcast/measure/session_services.hpp"

namespace flopcast::measure {

struct TeamOptions {
  /// Duration of calls before measuring: idle threads of libraries go on spinning for a while (20 ms in OpenBLAS).
  Seconds spinning = 0.1;
  Seconds duration = 0.005;  ///< duration of each of the few measured windows, which have at least one call
};

/// Returns how many threads of the library work on `call`, which may use `call.threads`, with warm operands. The result is the CPU time of
/// the process over that of the calling thread, 1 if the library stays with one thread. The least of a few windows counts, because spinning
/// threads only add to it. Other programs on the cores bring it nearer to 1, because callers spin while they wait. Throws what Prepared
/// throws.
double team_size(const Call& call, const Environment& environment, const SessionServices& services, const TeamOptions& options = {});

}  // namespace flopcast::measure
