#pragma once

#include <functional>
#include <span>
#include <vector>

#include "flopcast/measure/session.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {

/// Options of the session that samples calls.
measure::SessionOptions session_options(const SampleRequest& request);

/// Notes if the machine's speed, which the reference kernel's times show, isn't that of an earlier session. Times of 0 aren't known.
void note_speed(Seconds earlier, Seconds now, const RunContext& context);

/// Samples the calls in `session`. `elapsed` returns the time since sampling began. Nothing is stored.
SampleResult sample(measure::Session& session, std::span<const Call> calls, const SampleRequest& request,
                    const std::function<Seconds()>& elapsed, const RunContext& context);

/// Plans the samples for an environment.
std::vector<PlannedSample> plan_samples(const Environment& environment, std::span<const Call> calls, const SampleRequest& request);

}  // namespace flopcast
