#pragma once

#include <vector>

#include "flopcast/program/scaled_calls.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/what_if_services.hpp"

namespace flopcast {

/// Predicts the program for request.to from recordings in one place. Throws as scale_program() does.
ScaledProgram scale_runs(const std::vector<program::ParameterRecording>& recordings, const program::RecordedPlace& place,
                         const ScaleRequest& request, const WhatIfServices& services, const RunContext& context);

}  // namespace flopcast
