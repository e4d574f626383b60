#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/predict/predict.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/what_if_services.hpp"

namespace flopcast {

/// The prediction of one thread's calls.
struct PredictedThread {
  std::size_t thread = 0;  ///< index into ProgramSummary::threads
  Trace trace;             ///< calls as recorded, with their recorded times
  Seconds by_models = 0;
  prediction::TracePrediction prediction;  ///< call by call; the interval is the thread's share of the whole one
};

struct WhatIfEvaluation {
  WhatIfResult result;
  std::vector<PredictedThread> threads;  ///< filled where calls are predicted
  Seconds models_deviation = 0;          ///< standard deviation of WhatIfResult::by_models that the models state
  Seconds unmodelled = 0;                ///< part of WhatIfResult::by_models that no sample supports
};

struct EvaluationOptions : WhatIfOptions {
  /// Receives each failure as soon as it is known.
  std::function<void(const WhatIfResult&)> failed = [](const WhatIfResult&) {};
  /// Returns how the user asks for one thread, for messages: "Ask blas=blis,threads=1".
  std::function<std::string(const WhatIf&)> one_thread_remedy;
};

/// Answers the questions about a recorded program one after the other. A question that can't be answered is found before anything is measured,
/// as far as that is possible.
std::vector<WhatIfEvaluation> evaluate(const std::vector<WhatIf>& questions, const program::RecordedProgram& program,
                                       const program::ProgramBreakdown& breakdown, const program::RecordedPlace& place,
                                       const EvaluationOptions& options, const WhatIfServices& services, const RunContext& context);

/// Answers questions about an opened recording with this machine's libraries. Failures are noted as those of --what-if.
std::vector<WhatIfEvaluation> evaluate(const std::vector<WhatIf>& questions, const OpenedRecording& opened, const WhatIfOptions& options,
                                       const RunContext& context);

}  // namespace flopcast
