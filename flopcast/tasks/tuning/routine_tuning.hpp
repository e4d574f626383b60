#pragma once

#include <string>

#include "flopcast/tasks/tuning/tunable_routine.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast {

/// Tunes a routine in a place, as tune() does, without keeping a tuning file.
Tuning tune_routine(TuningSession& session, const TuneRequest& request, const RunContext& context = {},
                    const TuningObserver<Tuning>& observer = {});

}  // namespace flopcast
